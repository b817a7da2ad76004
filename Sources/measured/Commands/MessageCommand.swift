import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Localization
import Outlets

/// `measured message`.
struct MessageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "message", abstract: "Tries the ways by which messages reach people.",
    discussion: """
      Example:
        measured message test nora
      """,
    subcommands: [Test.self])

  /// `measured message test`.
  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "test",
      abstract: "Sends a message by a channel, and says what the other side answers.",
      discussion: """
        The channel is as the plan has it, in one line; a person's id means all channels of the \
        person, in turn. Beside a daemon the daemon sends it, so that its sandbox is tried, too.

        Example:
          measured message test email:nora@example.org
          measured message test nora
        """)

    @Argument(help: "A channel, such as email:nora@example.org, or a person's id.")
    var channel: String

    @OptionGroup var storage: StoreFileOptions

    @Option(
      help:
        "The settings file, for mail without a daemon. Default: \(ServiceSettings.path), if it exists."
    )
    var settings: String?

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let store = try storage.openExisting()
        let path = try storage.path
        let all = try await store.read { try $0.channels() }
        let found = all.filter { $0.person == channel || $0.channel.text == channel }
        guard !found.isEmpty else { throw NoSuchChannel(name: channel) }
        var isReached = true
        var tried: Set<Channel> = []
        for entry in found where tried.insert(entry.channel).inserted {
          let trial = ChannelTrial(entry.channel, in: Console.language)
          let result = try await result(of: trial, store: store, path: path)
          isReached = isReached && result == .delivered
          let sentence = Console.language.text(of: result)
          if json {
            try Console.json(
              Line(
                channel: entry.channel.text, person: entry.person, state: result.state,
                reason: result == .delivered ? nil : sentence))
          } else {
            Console.out(
              Console.language.text(
                LocalizedText(
                  "delivery.line",
                  [
                    "channel": .verbatim(entry.channel.text), "result": .text(result.localized),
                  ])))
          }
        }
        // The lines above say why.
        guard isReached else { throw CommandFailure(.failed, isJSON: json) }
      }
    }

    private func result(
      of trial: ChannelTrial, store: SQLStore, path: String
    ) async throws -> DeliveryResult {
      if let result = try DaemonSocket.perform(trial, of: path) { return result }
      let variables = Console.variables
      return try await ChannelTester(
        store: store,
        settings: ServiceSettings.readable(settings ?? ServiceSettings.path).settings.mail,
        environment: variables
      ).perform(trial)
    }

    /// A line of JSON.
    private struct Line: Encodable {
      var channel: String
      var person: String
      var state: String
      var reason: String?
    }
  }
}

extension DeliveryResult {
  /// Its name for programs.
  fileprivate var state: String {
    switch self {
    case .delivered: "delivered"
    case .later: "later"
    case .refused: "refused"
    case .unknown: "unknown"
    }
  }
}
