import Foundation
import Logging
import StrictYAML

/// What `/etc/measured/measured.yaml` says; what it leaves out has a sensible value.
///
/// ```yaml
/// radio: auto                       # auto, bluetoothd or kernel
/// store: /var/lib/measured/measured.sqlite
/// plan: /etc/measured/plan.yaml     # imported at the start and at every reload
/// patient: john                     # give readings to nobody else
/// logLevel: info                    # debug, info, notice, warning or error
/// ```
struct ServiceSettings: Hashable {
  /// Which way to the controllers.
  var radio = RadioChoice.auto
  /// The store's file; `nil` for this user's own.
  var store: String?
  /// A care plan that is imported at the start and at every reload.
  var plan: String?
  /// The only person that readings may be given to.
  var patient: String?
  /// How much is logged.
  var logLevel = Logger.Level.info

  /// Where settings are when nobody says otherwise.
  static let path = "/etc/measured/measured.yaml"

  /// Reads settings.
  ///
  /// - Throws: ``YAMLError`` naming the file and the line.
  init(parsing text: String, file: String) throws(YAMLError) {
    self.init()
    // A file in which everything is commented out is as good as none.
    let lines = text.split(whereSeparator: \.isNewline)
    guard lines.contains(where: { !$0.drop(while: \.isWhitespace).hasPrefix("#") }) else { return }
    var keys = try YAMLDocument.parse(text, file: file).mapping()
    if let node = keys.optional("radio") { radio = try node.choice() }
    store = try keys.optional("store")?.path()
    plan = try keys.optional("plan")?.path()
    if let node = keys.optional("patient") { patient = try node.string() }
    if let node = keys.optional("logLevel") {
      logLevel = try node.choice()
    }
    try keys.finish()
  }

  init() {}
}

/// Which way to the controllers is asked for.
enum RadioChoice: String, Hashable, CaseIterable {
  /// bluetoothd wherever its service is installed, else the kernel.
  case auto
  case bluetoothd
  case kernel
}

extension YAMLNode {
  /// An absolute path.
  fileprivate func path() throws(YAMLError) -> String {
    let path = try string()
    guard path.hasPrefix("/") else {
      throw location.error("‘\(path)’ is no absolute path; a service has no folder of its own")
    }
    return path
  }
}
