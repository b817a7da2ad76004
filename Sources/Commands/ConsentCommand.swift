import Actions
import ArgumentParser
import Care
import CareStore
import Foundation
import Interchange
import Localization
import Terminal

/// `measured consent`.
struct ConsentCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "consent",
    abstract: "Shows what people are asked to agree to, and records their answers.",
    discussion: """
      A care plan of the plan names its document (consent: FILE). Until it is agreed to, nothing of \
      the person leaves the box. Another version of the document asks again.

      Example:
        measured consent list
        measured consent show heart --patient john
        measured consent agree heart --patient john --name "John Appleseed"
        measured consent withdraw heart --patient john --name "John Appleseed"
      """,
    subcommands: [List.self, Show.self, Agree.self, Withdraw.self], defaultSubcommand: List.self)

  /// `measured consent list`.
  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Lists the documents, whether they are agreed to, and whether data may leave.",
      discussion: "Example:\n  measured consent list --json")

    @OptionGroup var storage: StoreOptions

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        try await storage.openExisting().readOnce { [storage, json] reader in
          let patient = try storage.patient(in: reader)
          let zone = try reader.zone(of: patient, at: Console.now)
          guard !json else {
            return try ConsentOutput.list(reader, patient: patient, in: zone).forEach(Console.json)
          }
          let consents = try reader.consents(of: patient)
          guard !consents.isEmpty else {
            return Console.out(LocalizedText("consent.noneHere").message)
          }
          for consent in consents { Console.out(consent.line(in: zone)) }
          for person in Set(consents.map(\.carePlan.patient)).sorted() {
            let key = "consent.leaving." + (try reader.consent(of: person)).rawValue
            Console.out(LocalizedText(key, ["name": "\(person)"]).message)
          }
        }
      }
    }
  }

  /// `measured consent show`.
  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Prints the document of a care plan with what was answered.",
      discussion: "Example:\n  measured consent show heart --patient john")

    @OptionGroup var place: ConsentPlace

    func run() async throws {
      try await reporting(isJSON: place.json) {
        try await place.storage.openExisting().readOnce { [place] reader in
          let consent = try place.consent(in: reader)
          let zone = try reader.zone(of: consent.carePlan.patient, at: Console.now)
          guard !place.json else { return try place.output(reader).forEach(Console.json) }
          Console.out(consent.line(in: zone))
          for section in consent.document.sections {
            Console.out("")
            if let title = section.title { Console.out(title) }
            if !section.text.isEmpty { Console.out(section.text) }
          }
          guard !consent.answers.isEmpty else { return }
          Console.out("")
          for answer in consent.answers { Console.out(answer.line(in: zone)) }
        }
      }
    }
  }

  /// `measured consent agree`.
  struct Agree: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Records that somebody agrees to the document of a care plan.",
      discussion:
        "Example:\n  measured consent agree heart --patient john --name \"John Appleseed\"")

    @OptionGroup var place: ConsentPlace

    @OptionGroup var signer: ConsentSigner

    func run() async throws {
      try await place.answer(signer) { AgreeToConsent($0) }
    }
  }

  /// `measured consent withdraw`.
  struct Withdraw: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Records that somebody does not agree, or no longer: nothing leaves the box.",
      discussion:
        "Example:\n  measured consent withdraw heart --patient john --name \"John Appleseed\"")

    @OptionGroup var place: ConsentPlace

    @OptionGroup var signer: ConsentSigner

    func run() async throws {
      try await place.answer(signer) { WithdrawConsent($0) }
    }
  }
}

/// The flags of who answers.
struct ConsentSigner: ParsableArguments {
  @Option(help: "The name of who answers.")
  var name: String

  @Option(help: "The digest of the document that was read, as show --json has it.")
  var digest: String?
}

/// The flags that name the document of a person's care plan.
struct ConsentPlace: ParsableArguments {
  @Argument(help: "The care plan's id.")
  var carePlan: String

  @OptionGroup var storage: StoreOptions

  @Flag(help: "Print JSON Lines.")
  var json = false

  /// The one document that is meant.
  ///
  /// - Throws: `ConsentRefusal` if there is none, ``CommandFailure`` if several people have one.
  func consent(in reader: any StoreReader) throws -> Consent {
    let consents = try reader.consents(of: try storage.patient(in: reader))
    let found = consents.filter { $0.carePlan.id == carePlan }
    guard let first = found.first else {
      throw ConsentRefusal.noDocument(carePlan, known: consents.map(\.carePlan.id))
    }
    guard found.count == 1 else {
      throw CommandFailure(
        .refused, LocalizedText("consent.several", ["carePlan": "\(carePlan)"]))
    }
    return first
  }

  func output(_ reader: any StoreReader) throws -> [ConsentOutput] {
    let patient = try consent(in: reader).carePlan.patient
    return try ConsentOutput.list(
      reader, patient: patient, carePlan: carePlan, isWhole: true,
      in: reader.zone(of: patient, at: Console.now))
  }

  /// Performs the action of an answer, and prints what holds then.
  func answer<A: Action>(
    _ signer: ConsentSigner, _ action: @Sendable (ConsentEntry) -> A
  ) async throws where A.Result == ConsentAnswer {
    do {
      let now = Console.now
      let (outputs, line) = try await storage.openExisting().write { [self] writer in
        let patient = try consent(in: writer).carePlan.patient
        let answer = try action(
          ConsentEntry(
            patient: patient, carePlan: carePlan, name: signer.name, digest: signer.digest)
        ).perform(in: writer, by: .owner, now: now)
        return (try output(writer), answer.line(in: try writer.zone(of: patient, at: now)))
      }
      if json { try outputs.forEach(Console.json) } else { Console.out(line) }
    } catch {
      throw CommandFailure(error, isJSON: json)
    }
  }
}

extension Consent {
  /// That the document waits for an answer, and the command that shows it.
  func request(store: String?) -> String {
    let patient = carePlan.patient.shellQuoted
    var words = ["measured", "consent", "show", carePlan.id.shellQuoted, "--patient", patient]
    if let store { words += ["--store", store.shellQuoted] }
    return LocalizedText(
      "consent.request",
      [
        "patient": "\(carePlan.patient)", "title": "\(document.title ?? carePlan.title)",
        "command": .init(words.joined(separator: " ")),
      ]
    ).message
  }

  /// The document in a line: whose, which version, what holds.
  func line(in timeZone: TimeZone) -> String {
    LocalizedText(
      "consent.line",
      [
        "carePlan": "\(carePlan.id)", "patient": "\(carePlan.patient)",
        "title": "\(document.title ?? carePlan.title)", "version": "\(document.version)",
        "state": .text(LocalizedText("consent.state." + state.rawValue)),
      ]
    ).message
  }
}

extension ConsentAnswer {
  /// The answer in a line: who said what to which version, and when.
  func line(in timeZone: TimeZone) -> String {
    LocalizedText(
      "consent.answered." + state.rawValue,
      [
        "name": "\(name)", "version": "\(version)",
        "time": .init(date.day(in: timeZone) + " " + date.clock(in: timeZone)),
      ]
    ).message
  }
}
