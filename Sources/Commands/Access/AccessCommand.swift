import Access
import ArgumentParser
import Foundation
import Localization
import Terminal

/// `measured access`.
struct AccessCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "access",
    abstract: "Accounts and tokens of a page that other machines reach.",
    discussion: """
      They are in access.json beside the store. End the daemon first: it has them in memory.

      Example:
        measured access add mary --name Mary --role administrator
        measured access token backup --scope plan
      """,
    subcommands: [
      AccessListCommand.self, AccessAddCommand.self, AccessPasscodeCommand.self,
      AccessRemoveCommand.self, AccessTokenCommand.self, AccessRevokeCommand.self,
    ])
}

/// The accounts of a command, which no other process uses meanwhile.
private struct OpenedAccess {
  let control: AccessControl
  private let log: AuditLog
  private let lock: AccessFiles.Lock

  /// The user who administers from the machine itself.
  let identity = Identity.local(user: UInt32(getuid()))

  init(_ file: StoreFileOptions) throws {
    let files = AccessFiles(store: try file.path)
    lock = try files.lock()
    control = try files.control()
    log = try AuditLog(path: files.auditLog)
  }

  /// Adds a change to the audit log.
  func write(
    _ action: AuditEntry.Action, _ object: AuditEntry.Object, _ id: String
  ) async throws {
    try await log.append(
      AuditEntry(
        time: Console.now, subject: identity.subject, action: action, object: object, id: id,
        client: nil, outcome: .done))
  }
}

/// `measured access list`.
struct AccessListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Lists accounts and tokens.",
    discussion: """
      Example:
        measured access list --json
      """)

  @OptionGroup var file: StoreFileOptions

  @Flag(help: "Print JSON Lines.")
  var json = false

  private struct Output: Encodable {
    var kind: String
    var id: String
    var name: String
    var role: String?
    var scopes: [String]?
    var patients: PatientScope
    var expires: String?
  }

  func run() async throws {
    try await reporting(isJSON: json) {
      let access = try OpenedAccess(file)
      let accounts = await access.control.accounts.map {
        Output(
          kind: "account", id: $0.id, name: $0.name, role: $0.role.rawValue,
          patients: $0.patients)
      }
      let tokens = await access.control.tokens.map { token in
        Output(
          kind: "token", id: token.id, name: token.name,
          scopes: Permission.allCases.filter(token.scopes.contains).map(\.rawValue),
          patients: token.patients, expires: token.expires?.ISO8601Format())
      }
      guard !json else { return try (accounts + tokens).forEach { try Console.json($0) } }
      if accounts.isEmpty, tokens.isEmpty {
        Console.out(LocalizedText("command.access.none").message)
      }
      for item in accounts + tokens {
        let what = item.role ?? (item.scopes ?? []).joined(separator: ", ")
        Console.out(
          LocalizedText(
            item.expires == nil ? "command.access.line" : "command.access.lineUntil",
            [
              "kind": .text(item.role == nil ? "command.access.token" : "command.access.account"),
              "id": .init(item.id), "name": .init(item.name), "what": "\(what)",
              "patients": .init(item.patients.words), "end": .init(item.expires ?? ""),
            ]
          ).message)
      }
    }
  }
}

extension PatientScope {
  fileprivate var words: String {
    switch self {
    case .all: LocalizedText("command.access.all").message
    case .only(let patients): patients.sorted().joined(separator: ", ")
    }
  }

  /// The patients of `--patient`; all without one.
  fileprivate init(_ patients: [String]) {
    self = patients.isEmpty ? .all : .only(Set(patients))
  }
}

extension Role: ExpressibleByArgument {}
extension Permission: ExpressibleByArgument {}

/// `measured access add`.
struct AccessAddCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Adds an account; its passcode is asked for, or read from input.",
    discussion: """
      Example:
        measured access add john --name John --role patient --patient john
      """)

  @Argument(help: "What the person types to sign in.")
  var id: String

  @Option(help: "The person's name.")
  var name: String

  @Option(help: "patient, carer, provider or administrator.")
  var role: Role

  @Option(help: "A patient whom the account concerns, by id; repeat it for more. Default: all.")
  var patient: [String] = []

  @OptionGroup var file: StoreFileOptions

  func run() async throws {
    try await reporting(isJSON: false) {
      let access = try OpenedAccess(file)
      let draft = Account.Draft(id: id, name: name, role: role, patients: PatientScope(patient))
      let account = try await access.control.add(
        draft, passcode: try PasscodeEntry.new(), by: access.identity)
      try await access.write(.create, .account, account.id)
      Console.out(
        LocalizedText(
          "command.access.added", ["name": .init(account.name), "id": .init(account.id)]
        ).message)
    }
  }
}

/// `measured access passcode`.
struct AccessPasscodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "passcode", abstract: "Sets an account's passcode, and ends its sessions.",
    discussion: """
      Example:
        measured access passcode mary
      """)

  @Argument(help: "The account.")
  var id: String

  @OptionGroup var file: StoreFileOptions

  func run() async throws {
    try await reporting(isJSON: false) {
      let access = try OpenedAccess(file)
      let id = Account.id(typed: id)
      guard await access.control.accounts.contains(where: { $0.id == id }) else {
        throw AccessError.unknownAccount(id)
      }
      try await access.control.setPasscode(
        of: id, to: try PasscodeEntry.new(), client: "", by: access.identity)
      try await access.write(.change, .passcode, id)
      Console.out(
        LocalizedText("command.access.passcodeSet", ["id": .init(id)]).message)
    }
  }
}

/// `measured access remove`.
struct AccessRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Removes an account with its sessions and tokens.",
    discussion: """
      Example:
        measured access remove john
      """)

  @Argument(help: "The account.")
  var id: String

  @OptionGroup var file: StoreFileOptions

  func run() async throws {
    try await reporting(isJSON: false) {
      let access = try OpenedAccess(file)
      let id = Account.id(typed: id)
      try await access.control.remove(account: id, by: access.identity)
      try await access.write(.delete, .account, id)
      Console.out(
        LocalizedText("command.access.removed", ["id": .init(id)]).message)
    }
  }
}

/// `measured access token`.
struct AccessTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Makes a token for a program, and prints it once.",
    discussion: """
      The program sends it as Authorization: Bearer TOKEN.

      Example:
        measured access token dashboard --scope read --patient john --days 90
      """)

  @Argument(help: "What the token is for.")
  var name: String

  @Option(help: "read, answer, add, correct, plan, devices or administer; repeat it for more.")
  var scope: [Permission]

  @Option(help: "A patient whom the token concerns, by id; repeat it for more. Default: all.")
  var patient: [String] = []

  @Option(help: "After how many days it ends. Default: it does not.")
  var days: Int?

  @OptionGroup var file: StoreFileOptions

  func run() async throws {
    try await reporting(isJSON: false) {
      let access = try OpenedAccess(file)
      let (token, secret) = try await access.control.makeToken(
        Token.Draft(
          name: name, scopes: Set(scope), patients: PatientScope(patient),
          expires: days.map { Console.now.addingTimeInterval(Double($0) * 86_400) }),
        by: access.identity)
      try await access.write(.create, .token, token.id)
      Console.error(
        LocalizedText("command.access.tokenMade", ["id": .init(token.id)]).message)
      Console.data(secret.text)
    }
  }
}

/// `measured access revoke`.
struct AccessRevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revokes a token.",
    discussion: """
      Example:
        measured access revoke Zk3xQ0aB9c_d
      """)

  @Argument(help: "The token's id, as access list shows it.")
  var id: String

  @OptionGroup var file: StoreFileOptions

  func run() async throws {
    try await reporting(isJSON: false) {
      let access = try OpenedAccess(file)
      try await access.control.revoke(token: id, by: access.identity)
      try await access.write(.delete, .token, id)
      Console.out(
        LocalizedText("command.access.revoked", ["id": .init(id)]).message)
    }
  }
}

// MARK: - Passcodes

/// A new passcode as a person enters it.
private enum PasscodeEntry {
  /// Asks twice on a terminal, without echo; reads a line of the input elsewhere.
  static func new() throws -> String {
    guard Console.isInputTerminal else { return Console.nextLine() ?? "" }
    let first = try hidden("command.access.newPasscode")
    guard try hidden("command.access.again") == first else {
      throw CommandFailure(.refused, "command.access.differ")
    }
    return first
  }

  /// Reads a line that the terminal does not show.
  private static func hidden(_ prompt: LocalizedText) throws -> String {
    var shown = termios()
    guard unsafe tcgetattr(STDIN_FILENO, &shown) == 0 else {
      throw CommandFailure(.failed, "command.access.cannotHide")
    }
    var hidden = shown
    hidden.c_lflag &= ~tcflag_t(ECHO)
    guard unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &hidden) == 0 else {
      throw CommandFailure(.failed, "command.access.cannotHide")
    }
    defer { _ = unsafe tcsetattr(STDIN_FILENO, TCSAFLUSH, &shown) }
    Console.write(prompt.message + " ", to: .standardError)
    let line = Console.nextLine() ?? ""
    Console.write("\n", to: .standardError)
    return line
  }
}
