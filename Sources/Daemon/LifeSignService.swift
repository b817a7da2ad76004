import Care
import Foundation
import Localization
import Logging
import Outlets
import PrivateFiles
import ServiceLifecycle
import Terminal

/// Puts off the message of this machine's silence while it runs, as the settings of the time say.
struct LifeSignService: Service {
  /// The settings that hold now, and each time that they change.
  let changes: AsyncStream<SilenceSettings?>
  let courier: Courier
  let logger: Logger
  /// The clock of the pauses, which nobody sets.
  var clock = ContinuousClock()

  /// The longest token, in bytes.
  private static let longest = 1_000

  func run() async throws {
    await cancelWhenGracefulShutdown { await work() }
  }

  /// Works until it is cancelled, or no change can come.
  func work() async {
    var current: Task<Void, Never>?
    for await settings in changes {
      current?.cancel()
      await current?.value
      current = settings.map { settings in Task { await renew(settings) } }
    }
    current?.cancel()
    await current?.value
  }

  private func renew(_ settings: SilenceSettings) async {
    let start = clock.now
    var random = SystemRandomNumberGenerator()
    // A health check needs no proof: a call more does no harm.
    var isReplaceable: Bool?
    if case .ping = settings { isReplaceable = true }
    var sign = LifeSign(at: .zero, isReplaceable: isReplaceable)
    while let (step, time) = sign.next {
      guard (try? await clock.sleep(until: start + time)) != nil else { return }
      let delivery = await perform(step, settings)
      guard !Task.isCancelled else { return }
      if delivery.result != .delivered {
        logger.warning(
          "The message of this machine's silence is not put off: \(Console.language.text(of: delivery.result))"
        )
      }
      sign.take(delivery, at: clock.now - start, using: &random)
    }
    logger.error(
      "The server of ‘silence’ replaces no messages: it needs ntfy 2.16. A silence rings nobody.")
  }

  private func perform(_ step: LifeSign.Step, _ settings: SilenceSettings) async -> Delivery {
    switch settings {
    case .ping(let address): return Delivery(await courier.ping(address), isReplaceable: true)
    case .ntfy(let server, let topic, let tokenFile):
      let language = Console.language
      let name = ["silence", "\(step)", server.text, topic.text]
      let message = OutgoingMessage(
        id: ItemID(of: name),
        title: language.text(step == .announce ? "lifeSign.watchTitle" : "lifeSign.title"),
        body: language.text(step == .announce ? "lifeSign.watch" : "lifeSign.body"),
        urgency: step == .announce ? .low : .urgent)
      let token: Secret<String>?
      do {
        token = try tokenFile.flatMap { file in
          try PrivateFile(path: file).read(limit: Self.longest).map { bytes in
            Secret(
              String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            )
          }
        }
      } catch {
        return Delivery(.later(.credentials(detail: Message.of(error)), after: nil))
      }
      return await courier.publish(
        NtfyMessage(message, to: topic, delay: step == .renew ? LifeSign.silence : nil),
        on: server, token: token)
    }
  }
}
