import Foundation
import Radio
import TestSupport
import Testing
import Traces

@Suite
struct DocumentationTests {
  @Test
  func `the example of the documentation counts advertisements`() throws {
    // snippet
    let stream = try FileStream(path: "Examples/weigh-in.jsonl")
    var reader = try TraceFile().open(stream)
    var advertisements = 0
    while let event = try reader.next() {
      if case .advertisement = event.event { advertisements += 1 }
    }
    print(advertisements)
    // end of snippet
    #expect(advertisements == 6)
    #expect(
      try DocumentedSnippet.inArticle("Sources/Traces/Traces.docc/Traces.md")
        == DocumentedSnippet.inSource())
  }
}
