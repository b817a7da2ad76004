import Foundation
import Radio

/// Listens to the radio for a person who waits.
struct AirListening {
  var options: RadioOptions

  init(_ options: RadioOptions) {
    self.options = options
  }

  /// What a listener is told.
  enum Step {
    case event(TimedEvent)
    case tick(Date)
  }

  /// What a listener decides.
  enum Decision {
    case goOn
    case enough
  }

  /// Tells `body` what is heard until `seconds` are over, or it has enough.
  ///
  /// - Parameters:
  ///   - seconds: How long it listens at most.
  ///   - tick: How often `body` is told the time, in seconds.
  ///   - body: Told what is heard; decides whether that is enough.
  /// - Throws: ``RadioError`` where there is no radio to listen to, and what `body` throws.
  func listen(
    for seconds: Double, tick: Double?, _ body: (Step) async throws -> Decision
  ) async throws {
    try await use { opened in
      let end = Date().addingTimeInterval(seconds)
      var next = tick.map { Date().addingTimeInterval($0) }
      while true {
        switch try await opened.radio.next(until: min(end, next ?? end)) {
        case .event(let event):
          guard try await body(.event(event)) == .goOn else { return }
        case .deadline(let time):
          guard time < end, try await body(.tick(time)) == .goOn else { return }
          next = tick.map { time.addingTimeInterval($0) }
        case .end:
          return
        }
      }
    }
  }

  /// What `body` makes of the radio, which is stopped in good order whatever comes of it.
  func use<Result>(_ body: (OpenedRadio) async throws -> Result) async throws -> Result {
    let opened = try await open()
    do {
      let result = try await body(opened)
      await opened.radio.backend.stop()
      return result
    } catch {
      await opened.radio.backend.stop()
      throw error
    }
  }

  /// The radio, with what happens to it told on standard error.
  private func open() async throws -> OpenedRadio {
    let store = StoreLocation(environment: ProcessInfo.processInfo.environment).path
    let opening = RadioOpening(
      choice: options.radio ?? .auto, keys: options.keysPath(store: store))
    return try await opening.open { notice in
      if notice.severity > .info { Console.error("measured: \(notice.text)") }
    }
  }
}
