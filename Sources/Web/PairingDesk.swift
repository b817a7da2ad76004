package import Care
import Foundation
import Pages
import Synchronization

/// Pairs one device at a time with a person at the page.
///
/// A question of the radio waits for the person; whoever looks at the page sees how far it is. The
/// last result stays until the next pairing.
package final class PairingDesk: Sendable {
  /// Pairs with a device and asks the person; throws if the device is not paired.
  package typealias Pair = @Sendable (DeviceID, PairingDesk) async throws -> Void

  private struct Session {
    var device: DeviceID
    var state: PairingPage.State
    var question: CheckedContinuation<Answer, Never>?
    var isCancelled = false
  }

  /// A person's answer to a question.
  enum Answer: Hashable, Sendable {
    case passkey(UInt32)
    case isEqual(Bool)
    case cancelled
  }

  private let session = Mutex<Session?>(nil)
  private let pair: Pair
  private let words: @Sendable (any Error) -> String

  /// Makes a desk.
  ///
  /// - Parameters:
  ///   - words: The words for people of an error of `pair`.
  ///   - pair: Pairs a device.
  package init(words: @escaping @Sendable (any Error) -> String, pair: @escaping Pair) {
    self.words = words
    self.pair = pair
  }

  // MARK: The radio's side

  /// The six digits that the device shows; `nil` if the person cancels.
  package func passkey() async -> UInt32? {
    if case .passkey(let digits) = await ask(.asksPasskey) { digits } else { nil }
  }

  /// Shows the six digits to enter on the device.
  package func display(passkey: UInt32) {
    session.withLock { session in
      guard session?.isCancelled == false else { return }
      session?.state = .shows(passkey: passkey)
    }
  }

  /// Whether the device shows the same six digits.
  package func confirm(passkey: UInt32) async -> Bool {
    await ask(.asksWhetherEqual(passkey: passkey)) == .isEqual(true)
  }

  private func ask(_ state: PairingPage.State) async -> Answer {
    await withCheckedContinuation { continuation in
      let isOpen = session.withLock { session in
        guard session?.isCancelled == false, session?.question == nil else { return false }
        session?.state = state
        session?.question = continuation
        return true
      }
      if !isOpen { continuation.resume(returning: .cancelled) }
    }
  }

  // MARK: The person's side

  /// How far the pairing of a device is.
  func state(of device: DeviceID) -> PairingPage.State {
    session.withLock { session in
      session.flatMap { $0.device == device ? $0.state : nil } ?? .ready
    }
  }

  /// Begins to pair a device.
  ///
  /// - Returns: Whether it begins: not while a device is being paired.
  func start(_ device: DeviceID) -> Bool {
    let isFree = session.withLock { session in
      guard session.map({ $0.state.isOver }) ?? true else { return false }
      session = Session(device: device, state: .waiting)
      return true
    }
    guard isFree else { return false }
    Task {
      let end: PairingPage.State
      do {
        try await pair(device, self)
        end = .paired
      } catch {
        end = .failed(words(error))
      }
      finish(end)
    }
    return true
  }

  private func finish(_ state: PairingPage.State) {
    let question = session.withLock { session in
      session?.state = state
      return session?.question.take()
    }
    question?.resume(returning: .cancelled)
  }

  /// Answers the question that waits, if it is one of this kind.
  func answer(_ answer: Answer, for device: DeviceID) {
    let question = session.withLock { session -> CheckedContinuation<Answer, Never>? in
      guard session?.device == device else { return nil }
      switch (answer, session?.state) {
      case (.passkey, .asksPasskey), (.isEqual, .asksWhetherEqual), (.cancelled, _): break
      default: return nil
      }
      if answer == .cancelled { session?.isCancelled = true }
      guard let question = session?.question.take() else { return nil }
      session?.state = .waiting
      return question
    }
    question?.resume(returning: answer)
  }
}

extension PairingPage.State {
  /// Whether nothing more happens without the person.
  var isOver: Bool {
    switch self {
    case .ready, .paired, .failed: true
    case .waiting, .asksPasskey, .shows, .asksWhetherEqual: false
    }
  }
}
