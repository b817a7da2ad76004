import Actions
import ArgumentParser
import Care
import CareStore
import Exchange
import Foundation
import Localization
import Plans
import PrivateFiles
import QRCodes
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
      abstract: "Prints a code by which one box joins, within a day; or several.",
      discussion: """
        The box gets what is of its people, and brings what it measures of them. A person whom the \
        centre does not know yet may be named: the box brings them.

        Example:
          measured centre invite --cohort north --person anna --person otto
          measured centre invite --cohort study --people 1 --file invitation.txt
          measured centre invite --cohort study --people 1 --boxes 20 --days 14
          measured centre invite --person anna --kit kit.yaml
          measured centre invite --replaces 5c11d0aa
        """)

    @OptionGroup var storage: StoreFileOptions

    @Option(
      help: """
        The group to which the box belongs: who cares for its people. Default: home, or the \
        replaced box's.
        """)
    var cohort: String?

    @Option(help: "The id of a person whom the box has; several times for several.")
    var person: [String] = []

    @Option(help: "Make so many new people for each box, named after the cohort.")
    var people = 0

    @Option(help: "The address of this centre. Default: that of page: in the settings.")
    var address: String?

    @Option(
      help: "Write address and code to a file for measured join --file, in place of printing.")
    var file: String?

    @Flag(help: "Print the QR code of each code also where the output is no terminal.")
    var qr = false

    @Option(help: "Invite so many boxes, each by a code of its own.")
    var boxes = 1

    @Option(help: "For how many days the codes are good.")
    var days = 1

    @Option(help: "A YAML file with the devices: of the box, as a plan has them, without keys.")
    var kit: String?

    @Option(
      help: "The box, by the beginning of its name, whose people and devices go to the new one.")
    var replaces: String?

    @Flag(help: "Print JSON Lines.")
    var json = false

    func validate() throws {
      guard file == nil || boxes == 1 else {
        throw ValidationError("A file has one invitation.")
      }
      guard !json || file == nil && !qr else {
        throw ValidationError("--json prints, and has no --file and no --qr.")
      }
    }

    func run() async throws {
      try await reporting(isJSON: json) {
        let settings = ServiceSettings.readable(ServiceSettings.path).settings
        let place = address ?? settings.page?.reached?.text
        guard let place = place ?? (file == nil && !json && !qr ? "https://…" : nil) else {
          throw CommandFailure(.refused, LocalizedText("command.centre.noAddress"))
        }
        let codes = (0..<max(0, min(boxes, InviteBoxes.mostBoxes + 1))).map { _ in
          Enrolment.code(AccessFiles.random(12))
        }
        var action = InviteBoxes(
          people: Set(person), newPeople: people, cohort: cohort ?? "home", days: days,
          codes: codes,
          devices: try kit.map { try PlanFile.loadKit($0) } ?? [])
        let store = try storage.openExisting()
        if let replaces {
          let boxes = try await store.readingExchange { try enrolment.boxes(in: $0) }
          let name = try boxes.name(replaces)
          action.replaces = name
          action.cohort = cohort ?? boxes.first { $0.name == name }?.box.cohort ?? "home"
        }
        let (invited, zone) = try await store.write { [action] writer in
          do {
            return (
              try action.perform(in: writer, by: .owner, now: Console.now), try writer.zone()
            )
          } catch let refusal as InvitationRefusal {
            throw CommandFailure(.malformedArgument, refusal.localized)
          }
        }
        for invitation in invited {
          let end = invitation.expires.rfc3339(in: zone).minutes
          if json {
            try Console.json(
              InvitationOutput(
                code: invitation.code, url: place, people: invitation.people,
                expires: invitation.expires.rfc3339(in: zone)))
          } else if let file {
            try PrivateFile(path: file).replace(
              with: Array((invitation.line(of: place) + "\n").utf8))
            Console.out(
              LocalizedText("command.centre.written", ["file": "\(file)", "end": "\(end)"]).message)
          } else {
            Console.out(
              LocalizedText(
                "command.centre.invited",
                [
                  "code": "\(invitation.code)", "end": "\(end)",
                  "people": .quoted(invitation.people), "address": "\(place)",
                ]
              ).message)
            if qr || Console.isOutputTerminal {
              QRCode(invitation.line(of: place))?.lines.forEach(Console.out)
            }
          }
        }
      }
    }
  }

  /// An invitation, as JSON.
  private struct InvitationOutput: Encodable {
    var code: String
    var url: String
    var people: [String]
    var expires: String
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
            box.contact?.rfc3339(in: zone).minutes ?? "–",
            LocalizedText("boxes.state.\(box.state.rawValue)").message,
          ])
        }
        table.lines.forEach(Console.out)
      }
    }
  }

  /// `measured centre replace`.
  struct Replace: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Gives the people and devices of a broken box to another one that has joined.",
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
            try enrolment.replace(names.0, by: names.1, in: exchange)
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
