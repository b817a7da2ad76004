import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Localization
import Outlets
import Terminal

extension OutletCommand {
  /// `measured outlet calendar`.
  struct Calendar: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Shows, makes and ends the secret addresses at which calendar programs read plans.",
      discussion: """
        The daemon's page serves them; it has to be reached from where the calendar program is \
        (address: of the page's settings). An address is shown once.

        Example:
          measured outlet calendar add john
          measured outlet calendar list
          measured outlet calendar end 6f1c
        """,
      subcommands: [Links.self, Add.self, End.self], defaultSubcommand: Links.self)

    /// `measured outlet calendar list`.
    struct Links: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Lists the addresses by the beginnings of their digests.",
        discussion: "Example:\n  measured outlet calendar list --json")

      @OptionGroup var storage: StoreFileOptions

      @Flag(help: "Print JSON Lines.")
      var json = false

      private struct Output: Encodable {
        var id: String
        var patient: String
        var created: String
      }

      func run() async throws {
        try await reporting(isJSON: json) {
          let (links, zone) = try await storage.openExisting().readMessages { reader in
            (try reader.calendarLinks(), try reader.zone())
          }
          for link in links {
            let created = link.created.rfc3339(in: zone)
            if json {
              try Console.json(Output(id: link.digest, patient: link.patient, created: created))
            } else {
              Console.out("\(link.digest.prefix(12))  \(link.patient)  \(created.minutes)")
            }
          }
          if links.isEmpty, !json { Console.out(LocalizedText("calendar.none").message) }
        }
      }
    }

    /// `measured outlet calendar add`.
    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Makes an address at which a calendar program reads a person's plan.",
        discussion: "Example:\n  measured outlet calendar add john")

      @Argument(help: "The patient's id or name.")
      var patient: String

      @OptionGroup var storage: StoreFileOptions

      @Option(help: "The settings file. Default: \(ServiceSettings.path), if it exists.")
      var settings: String?

      func run() async throws {
        try await reporting(isJSON: false) {
          let store = try storage.openExisting()
          let id = try await store.read { [patient] in try $0.patientID(named: patient) }
          var random = SystemRandomNumberGenerator()
          let link = AddCalendarLink(of: id, token: TapToken(using: &random))
          try await store.writeMessages {
            try link.perform(in: $0, by: .owner, now: Console.now)
          }
          let path = settings ?? ServiceSettings.path
          let page = ServiceSettings.readable(path).settings.page ?? .standard
          Console.out("\(page.base)\(link.path)")
          Console.error(LocalizedText("calendar.once").message)
        }
      }
    }

    /// `measured outlet calendar end`.
    struct End: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Ends an address; whoever reads it has nothing from then on.",
        discussion: "Example:\n  measured outlet calendar end 6f1c")

      @Argument(help: "The beginning of its digest, as the list has it.")
      var digest: String

      @OptionGroup var storage: StoreFileOptions

      func run() async throws {
        try await reporting(isJSON: false) {
          try await storage.openExisting().writeMessages { [digest] writer in
            let meant = try writer.calendarLinks().filter { $0.digest.hasPrefix(digest) }
            guard let link = meant.first, meant.count == 1, !digest.isEmpty else {
              throw CalendarLinkRefusal.unknown
            }
            try RemoveCalendarLink(link.digest).perform(in: writer, by: .owner, now: Console.now)
          }
          Console.out(LocalizedText("calendar.ended").message)
        }
      }
    }
  }
}
