package import Outlets
package import StrictYAML

extension YAMLNode {
  /// The values of a key, as they are written.
  package func texts(of key: OutletKey) throws(YAMLError) -> [String] {
    switch key.form {
    case .people:
      guard case .sequence(let nodes) = content else { return [try choice(of: ["all"])] }
      return try nodes.map { node throws(YAMLError) in try node.string() }
    case .quantities:
      return try sequence().map { node throws(YAMLError) in try node.string() }
    case .topics, .records:
      return try pairs().map { pair throws(YAMLError) in "\(pair.key) \(try pair.value.string())" }
    case .flag: return [try boolean() ? "true" : "false"]
    case .choice: return [try scalar().text]
    default: return [try string()]
    }
  }
}
