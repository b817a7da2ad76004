import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Localization
import Outlets
import Terminal

/// A secret that a command is given in a file or by its input, so that no list of processes shows it.
enum TypedSecret {
  /// The first line of a file, or with `-` of the input; `nil` without either.
  static func read(_ file: String?) async throws -> String? {
    guard let file else { return nil }
    let read = file == "-" ? await Console.surroundings.line() ?? "" : try TextFile.read(file)
    return String(read.split(whereSeparator: \.isNewline).first ?? "")
      .trimmingCharacters(in: .whitespaces)
  }
}

/// `measured message`.
struct MessageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "message",
    abstract: "Lists, changes and tries the ways by which messages reach people.",
    discussion: """
      Example:
        measured message list
        measured message add nora email:nora@example.org
        measured message test nora
      """,
    subcommands: [List.self, Add.self, Remove.self, Move.self, Test.self])

  /// `measured message list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists people's channels, in the order in which they are tried.",
      discussion: "Example:\n  measured message list --json")

    @OptionGroup var storage: StoreFileOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let all = try await storage.openExisting().read { try $0.channels() }
        for entry in all {
          if json {
            try Console.json(ChannelOutput(entry))
          } else {
            Console.out("\(entry.id)  \(entry.channel.text)")
          }
        }
        if all.isEmpty, !json { Console.out(LocalizedText("command.message.none").message) }
      }
    }
  }

  /// `measured message add`.
  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Adds a channel, which is tried after the others; or gives one another secret.",
      discussion: """
        A secret (the token of ntfy, whsec_… of a webhook) is read from a file or from the input, so that \
        no list of processes shows it. It is kept beside the store, and is in no export.

        Example:
          measured message add nora email:nora@example.org
          measured message add nora ntfy:https://ntfy.example/box-5f0c --secret token.txt
        """)

    @OptionGroup var target: ChannelTarget

    @Option(help: "The file whose first line is the channel's secret; - reads the input.")
    var secret: String?

    func run() async throws {
      try await reporting(isJSON: target.json) {
        let text = try await TypedSecret.read(secret)
        try await target.change { [text] person, channel, reader in
          try .adding(channel, secret: text, to: person, in: reader)
        }
        guard !target.json else { return }
        let told = try await target.storage.openExisting().read { try $0.toldPeople() }
        if !told.contains(target.person) {
          Console.out(
            LocalizedText("channel.untold", ["name": .verbatim(target.person)]).message)
        }
      }
    }
  }

  /// `measured message remove`.
  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Removes a channel of a person; measured plan undo brings it back.",
      discussion: "Example:\n  measured message remove nora email:nora@example.org")

    @OptionGroup var target: ChannelTarget

    func run() async throws {
      try await reporting(isJSON: target.json) {
        try await target.change { person, channel, reader in
          try .removing(channel, from: person, in: reader)
        }
      }
    }
  }

  /// `measured message move`.
  struct Move: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Moves a channel to another place of a person's, 1 for the first to be tried.",
      discussion: "Example:\n  measured message move nora email:nora@example.org --to 1")

    @OptionGroup var target: ChannelTarget

    @Option(help: "The place, from 1.")
    var to: Int

    func run() async throws {
      try await reporting(isJSON: target.json) {
        try await target.change { [to] person, channel, reader in
          try .moving(channel, to: max(to, 1) - 1, of: person, in: reader)
        }
      }
    }
  }

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
        let found = all.filter { $0.id == channel || $0.channel.text == channel }
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
                channel: entry.channel.text, person: entry.id, state: result.state,
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
      let mail = ServiceSettings.readable(settings ?? ServiceSettings.path).settings.mail
      return try await ChannelTester(
        store: store, settings: { mail }, environment: variables
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

/// A person's channel, as the command prints it.
struct ChannelOutput: Encodable {
  var person: String
  var patient: String?
  var channel: String

  init(_ entry: PersonChannel) {
    person = entry.id
    patient = entry.person.contact == nil ? nil : entry.person.patient
    channel = entry.channel.text
  }
}

/// Which channel of whom a command changes.
struct ChannelTarget: ParsableArguments {
  @Argument(help: "The person: a contact, else a patient, by id.")
  var person: String

  @Argument(
    help: """
      The channel: email:ADDRESS, ntfy:https://SERVER/TOPIC, webhook:https://… or \
      homeAssistant:https://…
      """)
  var channel: String

  @OptionGroup var storage: StoreFileOptions

  @Option(help: "Whose contact it is, by id or unique name. Default: everyone's.")
  var patient: String?

  @Flag(help: "Print JSON Lines: the person's channels.")
  var json = false

  /// Changes the person's channels, and prints them as they are then.
  func change(
    _ action: @Sendable (ReachedPerson, Channel, any StoreReader) throws -> SetChannels
  ) async throws {
    guard let channel = Channel(channel) else { throw ChannelRefusal.malformed(channel) }
    let now = Console.now
    let all = try await storage.openExisting().write { [self] writer in
      let owner = try patient.map { try writer.patientID(named: $0) }
      let person = try writer.reachedPerson(person, of: owner)
      _ = try action(person, channel, writer).perform(in: writer, by: .owner, now: now)
      return try writer.channels().filter { $0.person == person }
    }
    for entry in all {
      if json {
        try Console.json(ChannelOutput(entry))
      } else {
        Console.out("\(entry.id)  \(entry.channel.text)")
      }
    }
  }
}
