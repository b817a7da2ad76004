import Foundation
import Testing

@testable import Agenda

@Suite struct SilenceReasonTests {
  private static let begin = Date(timeIntervalSince1970: 1_795_000_000)
  private static let span = begin..<begin + 3 * 86_400

  private static func evidence(
    _ change: (inout SilenceEvidence) -> Void
  ) -> [SilenceReason] {
    var evidence = SilenceEvidence(span: span)
    change(&evidence)
    return SilenceReason.probable(evidence)
  }

  /// The seven reasons that a box can tell, and the pairs that it can not.
  @Test func `a silence names its most probable reason`() {
    let begin = Self.begin
    #expect(Self.evidence { $0.isAway = true } == [.away])
    #expect(Self.evidence { $0.hasUnbelieved = true } == [.notBelieved])
    #expect(Self.evidence { $0.offs = [begin - 60..<begin + 2 * 86_400] } == [.boxOff])
    #expect(Self.evidence { $0.radioFailedSince = begin + 3_600 } == [.radioFailed])
    #expect(Self.evidence { $0.noNetworkSince = begin + 3_600 } == [.noNetwork])
    #expect(Self.evidence { $0.heard = begin + 86_400 } == [.notMeasured])
    #expect(
      Self.evidence { ($0.heard, $0.battery) = (begin, 9) } == [.batteryLow, .notMeasured])
    #expect(Self.evidence { $0.heard = begin } == [.notReceived, .notMeasured])
    #expect(Self.evidence { _ in } == [.notMeasured, .notReceived])
    // An hour without power does not explain three days.
    #expect(
      Self.evidence { ($0.heard, $0.offs) = (begin + 86_400, [begin..<begin + 3_600]) }
        == [.notMeasured])
  }
}
