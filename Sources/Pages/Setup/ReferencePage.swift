import Foundation
import Localization

/// The reference of the interface for programs, made from its OpenAPI description.
///
/// The description's own texts are English in every language.
package struct ReferencePage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let summary: String
    let groups: [Group]
    let types: [DataType]
  }

  /// The operations below one path, such as `/api/v1/events`.
  private struct Group {
    let name: String
    let operations: [OperationRow]
  }

  private struct OperationRow {
    let key: String
    let method: String
    let path: String
    let summary: String
    let parameters: [Field]
    let body: Kind?
    let answer: Kind?
    /// The statuses of refusals: `400, 401, 404`.
    let refusals: String
  }

  private struct DataType {
    let name: String
    let fields: [Field]
  }

  private struct Field {
    let name: String
    let kind: Kind
    let isOptional: Bool
    let description: String?
  }

  /// A type in words: `array of`, and the type that has a section of its own.
  private struct Kind {
    let text: String?
    let link: String?
  }

  /// Makes the page.
  ///
  /// - Parameters:
  ///   - description: The OpenAPI document as JSON.
  ///   - viewer: The reader.
  /// - Throws: `DecodingError` for a document that is none.
  package init(_ description: [UInt8], viewer: Viewer) throws {
    let document = try JSONDecoder().decode(Document.self, from: Data(description))
    let methods = ["get", "put", "post", "delete"]
    let rows = document.paths.sorted { $0.key < $1.key }.flatMap { path, operations in
      methods.compactMap { method in
        operations[method].map { Self.row(method, path, $0) }
      }
    }
    let groups = Dictionary(grouping: rows) { row in
      row.path.split(separator: "/").prefix(3).joined(separator: "/")
    }
    content = Content(
      summary: document.info.description,
      groups: groups.sorted { $0.key < $1.key }.map {
        Group(name: "/" + $0.key, operations: $0.value)
      },
      types: (document.components.schemas).sorted { $0.key < $1.key }.map { name, schema in
        DataType(name: name, fields: Self.fields(of: schema))
      })
    frame = Frame(
      viewer: viewer, title: viewer.language.text("reference.title"),
      address: LocalAddress("reference"))
  }

  /// The page.
  package func html(_ site: Site) -> String { site.html("reference", content, frame: frame) }

  private static func row(
    _ method: String, _ path: String, _ operation: Document.Operation
  ) -> OperationRow {
    let statuses = operation.responses.keys.sorted()
    let good = statuses.first { $0.hasPrefix("2") }.flatMap { operation.responses[$0] }
    return OperationRow(
      key: "\(method)-" + path.split { !$0.isLetter && !$0.isNumber }.joined(separator: "-"),
      method: method.uppercased(), path: path, summary: operation.summary,
      parameters: (operation.parameters ?? []).map {
        Field(
          name: $0.name, kind: kind(of: $0.schema), isOptional: $0.required != true,
          description: $0.description)
      },
      body: operation.requestBody?.content.flatMap { kind(of: $0) },
      answer: good?.content.flatMap { kind(of: $0) },
      refusals: statuses.filter { $0.hasPrefix("4") || $0.hasPrefix("5") }.joined(separator: ", "))
  }

  private static func kind(of content: [String: Document.Content]) -> Kind? {
    let types = content.keys.sorted()
    guard let type = types.first, let schema = content[type]?.schema else { return nil }
    let kind = kind(of: schema)
    return kind.link == nil ? Kind(text: types.joined(separator: ", "), link: nil) : kind
  }

  private static func fields(of schema: Document.Schema) -> [Field] {
    (schema.properties ?? [:]).sorted { $0.key < $1.key }.map { name, property in
      Field(
        name: name, kind: kind(of: property), isOptional: schema.required?.contains(name) != true,
        description: property.description)
    }
  }

  private static func kind(of schema: Document.Schema) -> Kind {
    if let reference = schema.reference { return Kind(text: nil, link: reference) }
    if let items = schema.items {
      let inner = kind(of: items)
      return Kind(
        text: ["array of", inner.text].compactMap(\.self).joined(separator: " "), link: inner.link)
    }
    if !schema.choices.isEmpty {
      return Kind(text: schema.choices.joined(separator: " | "), link: nil)
    }
    if let either = schema.oneOf {
      let names = either.map { kind(of: $0) }.compactMap { $0.link ?? $0.text }
      return Kind(text: names.joined(separator: " or "), link: nil)
    }
    var text =
      schema.format ?? (schema.types.isEmpty ? "any" : schema.types.joined(separator: " or "))
    switch (schema.minimum, schema.maximum) {
    case (let low?, let high?) where high < 1e15: text += " \(low.formatted())–\(high.formatted())"
    case (let low?, _): text += " ≥ \(low.formatted())"
    case (nil, let high?): text += " ≤ \(high.formatted())"
    case (nil, nil): break
    }
    return Kind(text: text, link: nil)
  }
}

/// The parts of an OpenAPI 3.1 document that the page shows.
private struct Document: Decodable {
  struct Info: Decodable {
    let description: String
  }

  struct Operation: Decodable {
    let summary: String
    let parameters: [Parameter]?
    let requestBody: Body?
    let responses: [String: Body]
  }

  struct Parameter: Decodable {
    let name: String
    let description: String?
    let required: Bool?
    let schema: Schema
  }

  struct Body: Decodable {
    let content: [String: Content]?
  }

  struct Content: Decodable {
    let schema: Schema
  }

  /// A JSON Schema.
  final class Schema: Decodable {
    /// One type, or several.
    let types: [String]
    let format: String?
    let description: String?
    /// The name of the type it refers to.
    let reference: String?
    let choices: [String]
    let minimum: Double?
    let maximum: Double?
    let items: Schema?
    let oneOf: [Schema]?
    let properties: [String: Schema]?
    let required: [String]?

    private enum CodingKeys: String, CodingKey {
      case type, format, description, minimum, maximum, items, oneOf, properties, required
      case reference = "$ref"
      case choices = "enum"
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: CodingKeys.self)
      types =
        if let several = try? values.decode([String].self, forKey: .type) {
          several
        } else {
          try [values.decodeIfPresent(String.self, forKey: .type)].compactMap(\.self)
        }
      format = try values.decodeIfPresent(String.self, forKey: .format)
      description = try values.decodeIfPresent(String.self, forKey: .description)
      reference = try values.decodeIfPresent(String.self, forKey: .reference)?
        .split(separator: "/").last.map(String.init)
      choices = try (values.decodeIfPresent([String?].self, forKey: .choices) ?? [])
        .map { $0 ?? "null" }
      minimum = try values.decodeIfPresent(Double.self, forKey: .minimum)
      maximum = try values.decodeIfPresent(Double.self, forKey: .maximum)
      items = try values.decodeIfPresent(Schema.self, forKey: .items)
      oneOf = try values.decodeIfPresent([Schema].self, forKey: .oneOf)
      properties = try values.decodeIfPresent([String: Schema].self, forKey: .properties)
      required = try values.decodeIfPresent([String].self, forKey: .required)
    }
  }

  struct Components: Decodable {
    let schemas: [String: Schema]
  }

  let info: Info
  let paths: [String: [String: Operation]]
  let components: Components
}
