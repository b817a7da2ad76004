import Actions
package import Care
package import CareStore
package import Exchange
package import Foundation
package import Localization
package import Outlets
package import Pages

/// The dependencies of the page and the interface: the store, the clock, functions of the program.
package struct WebEnvironment: Sendable {
  /// The store.
  package var store: SQLStore
  /// The current time.
  package var now: @Sendable () -> Date
  /// The machine's zone, proposed for a new plan.
  package var timeZone: TimeZone
  /// The fault that a client is told for an error.
  package var fault: @Sendable (any Error) -> Fault
  /// The names of devices, by definition.
  package var deviceNames: [String: String]
  /// The devices on the air now; `nil` without a radio.
  package var nearby: @Sendable () -> [NearbyDevice]?
  /// Writes and reads plan files.
  package var plans: PlanText
  /// The sessions in which people measure; `nil` without a radio.
  package var measuring: Measuring?
  /// Pairs devices; `nil` without a radio.
  package var pairing: PairingDesk?
  /// Whether links of messages are answered: the settings say where telephones reach the page.
  package var takesTaps: Bool
  /// Whether the store is a demo's, at a time that is not now.
  package var isDemo = false
  /// Answers boxes; `nil` where the machine is no centre.
  package var door: CentreDoor?
  /// Joins and leaves centres; `nil` where the store's secrets are not this program's.
  package var centres: CentreDesk?
  /// The outlets of the settings, and what tries one; `nil` where no measurement leaves.
  package var receivers: OutletDesk?
  /// The address at which others reach the page, as the settings say it; `nil` if they do not.
  package var reached: String?
  /// Sends a message that tries a channel, in a language; `nil` where nothing is sent.
  package var test: (@Sendable (Channel, Language) async throws -> DeliveryResult)?
  /// Examines the radio for what keeps it from measuring; nothing without a radio.
  package var findings: @Sendable () async -> [SetupFinding]
  /// Returns the figures that the program counts and measures.
  package var metrics: @Sendable () async -> [Metric]
  /// The counts of the servers.
  let counts = ServerCounts()
  /// The memory of what is under way.
  let memory = MemoryBudget()
  /// The room on the disk of answers under way that are too long for it.
  let disk = MemoryBudget(.disk)
  /// The knowledge of the pages of whose the weighings are.
  let weighings = WeighingMemory()
  /// The places of streams.
  let streams = StreamPlaces()
  /// The places in which pictures and videos arrive.
  let uploads = UploadPlaces(most: 4, ofOne: 2)
  /// The files that are to be imported once a person has seen what comes of them.
  let histories = HistoryDesk()
  /// The places in which copies of the store leave.
  let copies = UploadPlaces(most: 2, ofOne: 1)

  /// Makes an environment.
  package init(
    store: SQLStore, now: @escaping @Sendable () -> Date, timeZone: TimeZone,
    fault: @escaping @Sendable (any Error) -> Fault,
    deviceNames: [String: String] = [:],
    nearby: @escaping @Sendable () -> [NearbyDevice]? = { nil }, plans: PlanText,
    measuring: Measuring? = nil, pairing: PairingDesk? = nil, takesTaps: Bool = false,
    door: CentreDoor? = nil, centres: CentreDesk? = nil, receivers: OutletDesk? = nil,
    reached: String? = nil,
    test: (@Sendable (Channel, Language) async throws -> DeliveryResult)? = nil,
    findings: @escaping @Sendable () async -> [SetupFinding] = { [] },
    metrics: @escaping @Sendable () async -> [Metric] = { [] }
  ) {
    self.store = store
    self.now = now
    self.timeZone = timeZone
    self.fault = fault
    self.deviceNames = deviceNames
    self.nearby = nearby
    self.plans = plans
    self.measuring = measuring
    self.pairing = pairing
    self.takesTaps = takesTaps
    self.door = door
    self.centres = centres
    self.receivers = receivers
    self.reached = reached
    self.test = test
    self.findings = findings
    self.metrics = metrics
  }
}

/// A plan as the text of a file.
package struct PlanText: Sendable {
  /// Writes the plan as a store has it now.
  package var encode: @Sendable (any StoreReader) throws -> String
  /// Reads a plan; what is wrong with the text is thrown.
  package var parse: @Sendable (String) throws -> PlanDocument
  /// Checks that a plan file could say a task, among the people of a store; what no plan can say is
  /// thrown, in the plan parser's words.
  package var check: @Sendable (PlannedTask, any StoreReader) throws -> Void

  /// Makes the functions.
  package init(
    encode: @escaping @Sendable (any StoreReader) throws -> String,
    parse: @escaping @Sendable (String) throws -> PlanDocument,
    check: @escaping @Sendable (PlannedTask, any StoreReader) throws -> Void
  ) {
    self.encode = encode
    self.parse = parse
    self.check = check
  }
}

extension WebEnvironment {
  /// Performs an action in a request's name, in one transaction.
  ///
  /// - Returns: The result of the action.
  /// - Throws: Errors of the action.
  func perform<A: Action>(_ action: A, _ context: WebContext) async throws -> A.Result {
    let now = now()
    return try await store.write { try action.perform(in: $0, by: context.performer, now: now) }
  }

  /// Performs an action on messages or outlets in a request's name, in one transaction.
  ///
  /// - Returns: The result of the action.
  /// - Throws: Errors of the action; ``Fault`` in the site's words for a name that no outlet has.
  @discardableResult
  func perform<A: MessageAction>(
    _ action: A, _ context: WebContext, _ site: Site
  ) async throws -> A.Result {
    let now = now()
    do {
      return try await store.writeMessages {
        try action.perform(in: $0, by: context.performer, now: now)
      }
    } catch let unknown as UnknownOutlet {
      throw Fault(.unknown, site.languages.first.map { $0.text(unknown.localized) } ?? unknown.name)
    }
  }

  /// Performs an action in a request's name and reads what it led to, in one transaction.
  ///
  /// - Returns: The result of the action, and what `read` returns.
  /// - Throws: Errors of the action and of `read`.
  func perform<A: Action, Read: Sendable>(
    _ action: A, _ context: WebContext,
    reading read: @Sendable (A.Result, any StoreReader) throws -> Read
  ) async throws -> (A.Result, Read) {
    let now = now()
    return try await store.write { writer in
      let result = try action.perform(in: writer, by: context.performer, now: now)
      return (result, try read(result, writer))
    }
  }
}

/// Why a request is not carried out.
package struct Fault: Error, Hashable {
  /// Kinds of faults.
  package enum Kind: String, Hashable, Sendable {
    /// The request itself is malformed.
    case malformed
    /// There is no such thing.
    case unknown
    /// A rule forbids it.
    case refused
    /// The server cannot do it now.
    case failed
  }

  /// The kind.
  package var kind: Kind
  /// The event, its object, the cause and the advice, in words.
  package var message: String

  /// Makes a fault.
  package init(_ kind: Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
