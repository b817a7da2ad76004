import Interchange
import Localization
import Terminal

extension TaskOutput {
  /// `ended 2026-11-20`, `deleted`.
  var remark: String {
    if deleted == true { return LocalizedText("command.show.deleted").message }
    return ended.map { LocalizedText("command.show.ended", ["time": .init($0.minutes)]).message }
      ?? ""
  }
}

extension String {
  /// A time of RFC 3339 to the minute, without its offset: `2026-11-20 08:00`.
  var minutes: String { prefix(16).map { $0 == "T" ? " " : String($0) }.joined() }
}
