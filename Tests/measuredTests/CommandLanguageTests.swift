import Care
import Foundation
import Localization
import Testing

@testable import Terminal

/// The command line in another language than English.
@Suite struct CommandLanguageTests {
  /// The words of a command in Traditional Chinese; a file's name with a dot is in the folder.
  private static let table: [(arguments: [String], status: Int32, says: [String])] = [
    (["task", "end", "nothing"], 4, ["measured: 沒有項目「nothing」。現有 ‘check-in’"]),
    (["patient", "list"], 0, ["代號", "名稱", "預期"]),
    (["tasks"], 0, ["使用者", "內容", "下一次"]),
    (["contacts"], 0, ["沒有聯絡人、照護計畫或備註。"]),
    (["devices", "show", "no-such"], 4, ["沒有裝置定義「no-such」"]),
    (["decode", "2A37", "0"], 2, ["「0」不是完整位元組的十六進位"]),
    (["samples", "--csv", "--json"], 2, ["請只給 --csv 或 --json。"]),
    (["events", "--from", "lately", "--to", "today"], 2, ["請寫一天，例如 2026-11-20"]),
    (["tsaks"], 2, ["沒有「tsaks」這個指令（您是指「tasks」嗎？）"]),
    (["plan", "import", "plan.yaml"], 0, ["沒有變更"]),
  ]

  @Test func `a command speaks the person's language`() async throws {
    let words = try #require(LanguageCatalogue.embedded.language("zh-Hant"))
    let folder = try TemporaryFolder()
    let plan = try folder.write(Recordings.plan, to: "plan.yaml")
    let environment = ["MEASURED_STORE": folder.path("s.sqlite")]
    let imported = await InProcess.run(["plan", "import", plan], environment: environment)
    #expect(imported.status == 0)
    for (arguments, status, says) in Self.table {
      let arguments = arguments.map { $0.hasSuffix(".yaml") ? folder.path($0) : $0 }
      let result = await Console.$language.withValue(words) {
        await InProcess.run(arguments, environment: environment)
      }
      #expect(result.status == status, "\(arguments): \(result.error)")
      for text in says {
        #expect((result.output + result.error).contains(text), "\(arguments)")
      }
    }
  }

  @Test func `a wide heading keeps the columns of a table`() throws {
    let json = #"{"command": {"head": {"id": "代號"}}, "verbatim": "{text}"}"#
    let words = try Language(code: "zh-Hant", json: Array(json.utf8))
    let lines = Console.$language.withValue(words) {
      var table = TextTable(["command.head.id", .verbatim("b")])
      table.add(["x", "y"])
      return table.lines
    }
    #expect(lines == ["代號  b", "────  ─", "x     y"])
  }
}
