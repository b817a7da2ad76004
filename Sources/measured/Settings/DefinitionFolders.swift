import Foundation

/// Where device definitions are looked for.
struct DefinitionFolders {
  /// The folder that comes with the program.
  var builtIn: String?
  /// What was added on this machine; its files may replace a definition of the same id.
  var added: String = "/etc/measured/devices.d"

  /// The folders that belong to the program at `executable`.
  ///
  /// An installed program has `../share/measured/devices` beside it; one that was just built finds
  /// `Devices` in the package above its build folder.
  init(executable: String, fileExists: (String) -> Bool) {
    let folder = (executable as NSString).deletingLastPathComponent
    let installed = (folder as NSString).deletingLastPathComponent + "/share/measured/devices"
    if fileExists(installed) {
      builtIn = installed
      return
    }
    var ancestor = folder
    while ancestor.count > 1 {
      if fileExists(ancestor + "/Devices/xiaomi-mi-scale-2.yaml") {
        builtIn = ancestor + "/Devices"
        return
      }
      ancestor = (ancestor as NSString).deletingLastPathComponent
    }
  }
}
