import RadioTestSupport
import Testing

@testable import BluetoothdRadio

extension BluetoothdBench {
  /// Waits until a condition holds; it is an issue if it does not within 20 s.
  func until(
    _ condition: @Sendable () async -> Bool, _ location: SourceLocation = #_sourceLocation
  ) async {
    guard await !holds(condition) else { return }
    Issue.record("The condition did not become true.", sourceLocation: location)
  }
}
