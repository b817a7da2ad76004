import ArgumentParser
import Care
import CareStore
import Exchange
import Foundation
import Localization
import PrivateFiles
import Terminal

/// `measured centre`.
struct CentreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "centre",
    abstract: "Invites boxes to this centre, lists and revokes them.",
    discussion: """
      A centre is this program with centre: true in its settings, or served with --centre.

      Example:
        measured centre invite --cohort north --person anna
        measured centre boxes
      """,
    subcommands: [Invite.self, Boxes.self, ShowMorning.self, Replace.self, Revoke.self],
    defaultSubcommand: Boxes.self
  )

  private static let enrolment = Enrolment(Centre())

  /// `measured centre invite`.
  struct Invite: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints a code by which one box joins, within a day.",
      discussion: """
        The box gets what is of its people, and brings what it measures of them. A person whom the \
        centre does not know yet may be named: the box brings them.

        Example:
          measured centre invite --cohort north --person anna --person otto
          measured centre invite --cohort study --people 1 --file invitation.txt
        """)

    @OptionGroup var storage: StoreFileOptions

    @Option(help: "The group to which the box belongs: who cares for its people.")
    var cohort = "home"

    @Option(help: "The id of a person whom the box has; several times for several.")
    var person: [String] = []

    @Option(help: "Make so many new people for the box, named after the cohort.")
    var people = 0

    @Option(help: "The address of this centre. Default: that of page: in the settings.")
    var address: String?

    @Option(
      help: "Write address and code to a file for measured join --file, in place of printing.")
    var file: String?

    func validate() throws {
      guard (0...1_000).contains(people), people > 0 || !person.isEmpty else {
        throw ValidationError("Name the box’s people: --person ID, or --people N for new ones.")
      }
      guard person.allSatisfy({ !$0.isEmpty }), cohort.wholeMatch(of: /[a-z0-9-]{1,40}/) != nil
      else { throw ValidationError("A cohort has small letters, digits and hyphens.") }
    }

    func run() async throws {
      try await reporting(isJSON: false) {
        let settings = ServiceSettings.readable(ServiceSettings.path).settings
        let place = address ?? settings.page?.reached?.text
        let (named, count, cohort, now) = (Set(person), people, cohort, Console.now)
        let code = Enrolment.code(AccessFiles.random(12))
        let (invited, zone) = try await storage.openExisting().exchanging { exchange in
          var all = named
          var number = 0
          let known = Set(
            try exchange.things(Patient.self, patient: nil, isDeleted: false).map(\.id)
              + exchange.things(Patient.self, patient: nil, isDeleted: true).map(\.id))
          while all.count < named.count + count {
            number += 1
            let id = "\(cohort)-\(number)"
            guard !known.contains(id), !all.contains(id) else { continue }
            _ = try exchange.put(Patient(id: id, name: PersonName(given: id)), now: now)
            all.insert(id)
          }
          try enrolment.invite(
            Invitation(people: all, cohort: cohort, expires: now + 86_400), code: code,
            in: exchange)
          return (all.sorted(), try exchange.zone())
        }
        let end = (now + 86_400).rfc3339(in: zone).minutes
        if let file {
          guard let place else {
            throw CommandFailure(.refused, LocalizedText("command.centre.noAddress"))
          }
          try PrivateFile(path: file).replace(with: Array("\(place) \(code)\n".utf8))
          Console.out(
            LocalizedText(
              "command.centre.written", ["file": "\(file)", "end": "\(end)"]
            ).message)
        } else {
          Console.out(
            LocalizedText(
              "command.centre.invited",
              [
                "code": "\(code)", "end": "\(end)", "people": .quoted(invited),
                "address": "\(place ?? "https://…")",
              ]
            ).message)
        }
      }
    }
  }

  /// `measured centre boxes`.
  struct Boxes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the boxes that joined, and when each spoke last.",
      discussion: "Example:\n  measured centre boxes --json")

    @OptionGroup var storage: StoreFileOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let (boxes, zone) = try await storage.openExisting().readingExchange { exchange in
          (try enrolment.boxes(in: exchange), try exchange.zone())
        }
        guard !json else {
          for box in boxes { try Console.json(BoxOutput(box, zone)) }
          return
        }
        guard !boxes.isEmpty else {
          return Console.out(LocalizedText("command.centre.none").message)
        }
        var table = TextTable([
          "command.centre.box", "command.centre.cohort", "command.centre.people",
          "command.centre.joined", "command.centre.contact", "command.centre.state",
        ])
        for box in boxes {
          table.add([
            String(box.name.prefix(8)), box.box.cohort,
            box.membership.people.sorted().joined(separator: " "),
            box.box.joined.rfc3339(in: zone).minutes,
            box.contact?.rfc3339(in: zone).minutes ?? "–", box.state.localized.message,
          ])
        }
        table.lines.forEach(Console.out)
      }
    }
  }

  /// `measured centre replace`.
  struct Replace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Gives the people of a broken box to another one that has joined.",
      discussion: "Example:\n  measured centre replace 5c11d0aa 9e02b7f4")

    @OptionGroup var storage: StoreFileOptions

    @Argument(help: "The broken box, by the beginning of its name.")
    var box: String

    @Argument(help: "The box in its place.")
    var other: String

    func run() async throws {
      try await reporting(isJSON: false) {
        let (old, new) = (box, other)
        let names = try await storage.openExisting().exchanging { exchange in
          let boxes = try enrolment.boxes(in: exchange)
          let names = (try boxes.name(old), try boxes.name(new))
          if names.0 != names.1 {
            try Centre().replace(names.0, by: names.1, in: exchange)
          }
          return names
        }
        Console.out(
          LocalizedText(
            "command.centre.replaced",
            ["box": "\(names.0.prefix(8))", "other": "\(names.1.prefix(8))"]
          ).message)
      }
    }
  }

  /// `measured centre revoke`.
  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Refuses everything that a box says from now on, as after a theft.",
      discussion: "Example:\n  measured centre revoke 5c11d0aa")

    @OptionGroup var storage: StoreFileOptions

    @Argument(help: "The box, by the beginning of its name.")
    var box: String

    func run() async throws {
      try await reporting(isJSON: false) {
        let beginning = box
        let name = try await storage.openExisting().exchanging { exchange in
          let name = try enrolment.boxes(in: exchange).name(beginning)
          _ = try enrolment.revoke(name, in: exchange)
          return name
        }
        Console.out(
          LocalizedText("command.centre.revoked", ["box": "\(name.prefix(8))"]).message)
      }
    }
  }
}

extension [Enrolment.Known] {
  /// The name of the one box whose name begins so.
  fileprivate func name(_ beginning: String) throws(CommandFailure) -> String {
    let found = filter { $0.name.hasPrefix(beginning.lowercased()) }
    guard let first = found.first, found.count == 1 else {
      throw CommandFailure(
        .unknown,
        LocalizedText(
          "command.centre.unknownBox",
          ["box": "\(beginning)", "known": .quoted(map { String($0.name.prefix(8)) })]))
    }
    return first.name
  }
}

extension Enrolment.Known {
  /// How a box stands with its centre.
  enum State: String {
    case ready, replaced, revoked, twin

    var localized: LocalizedText {
      switch self {
      case .ready: "command.centre.isReady"
      case .replaced: "command.centre.isReplaced"
      case .revoked: "command.centre.isRevoked"
      case .twin: "command.centre.isTwin"
      }
    }
  }

  var state: State {
    if membership.isRevoked { return .revoked }
    if membership.isReplaced { return .replaced }
    return isTwin ? .twin : .ready
  }
}

/// A box for programs.
private struct BoxOutput: Encodable {
  var box: String
  var cohort: String
  var people: [String]
  var joined: String
  var contact: String?
  var state: String

  init(_ known: Enrolment.Known, _ zone: TimeZone) {
    (box, cohort, people) = (known.name, known.box.cohort, known.membership.people.sorted())
    joined = known.box.joined.rfc3339(in: zone)
    contact = known.contact?.rfc3339(in: zone)
    state = known.state.rawValue
  }
}
