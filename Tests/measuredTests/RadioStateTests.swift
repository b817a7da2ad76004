import Radio
import Testing

@testable import Terminal

@Suite struct RadioStateTests {
  private static func change(_ change: ControllerChange, of name: String = "hci0") -> RadioNotice {
    .controller(name, change)
  }

  private static let mute = ControllerTrouble.mute(.kernel("the device did not answer in time"))

  /// The words of `doctor` and the service's status about a controller that receives nothing.
  @Test(
    arguments: [
      .stuck(isHopeless: false), .stuck(isHopeless: true), mute,
    ] as [ControllerTrouble])
  func `has no controller that works while its only one is deaf`(trouble: ControllerTrouble) {
    let state = RadioState()
    state.take(Self.change(.found))
    #expect(state.trouble == nil)
    state.take(Self.change(.trouble(trouble)))
    #expect(state.trouble == Self.change(.trouble(trouble)))
    state.take(Self.change(.recovered))
    #expect(state.trouble == nil)
    #expect(state.hasWorked)
  }

  /// Silence alone proves nothing, and what is tried again is reported by its failure only.
  @Test(arguments: [.deaf, .notListening(.bus("In Progress"))] as [ControllerTrouble])
  func `takes a doubt for no trouble`(trouble: ControllerTrouble) {
    let state = RadioState()
    state.take(Self.change(.found))
    state.take(Self.change(.trouble(trouble)))
    #expect(state.trouble == nil)
  }

  @Test func `works with one controller beside a deaf one`() {
    let state = RadioState()
    state.take(Self.change(.found))
    state.take(Self.change(.found, of: "hci1"))
    state.take(Self.change(.trouble(.stuck(isHopeless: false))))
    #expect(state.trouble == nil)
    state.take(Self.change(.removed, of: "hci1"))
    #expect(state.trouble == Self.change(.removed, of: "hci1"))
  }
}
