import Care
import Foundation

/// One transaction of a ``SQLStore``, which its body reads and writes with.
///
/// Statements are compiled once for each connection and reused.
struct SQLTransaction: StoreWriter {
  let db: Connection
  /// The store's path or name, for errors.
  let place: String
  /// The mark that distinguishes the store's file from a copy of it; `nil` without a file.
  let file: String?
  let makeUUID: () -> UUID
  /// The values that this transaction has read once, or changed.
  let state = TransactionState()
  /// The plan as earlier transactions read it.
  var plans = PlanCache()
  /// The secrets of devices and channels, as earlier transactions left them.
  var secrets = DeviceSecrets(store: nil)

  /// Runs `body`, and turns any error into a `StoreError`.
  func reading<T>(_ body: () throws -> T) throws(StoreError) -> T {
    do {
      return try body()
    } catch {
      throw StoreError(error, in: place)
    }
  }

  /// Runs `body`; if it throws, nothing of it stays, even if its caller goes on.
  func changing<T>(_ body: () throws -> T) throws(StoreError) -> T {
    try reading { try undoing(body) }
  }

  /// Runs `body`; if it throws, nothing of it stays, nor what this transaction has read since.
  func undoing<T>(_ body: () throws -> T) throws -> T {
    let secrets = state.secrets
    do {
      return try db.undoing(body)
    } catch {
      state.forget()
      state.secrets = secrets
      throw error
    }
  }

  /// The rows that `sql` yields, each read in place, without a copy.
  @discardableResult
  func rows<T>(
    _ sql: String, _ arguments: Arguments = [], read: (Row) throws -> T
  ) throws -> [T] {
    var result: [T] = []
    try db.run(sql, arguments) { row in
      result.append(try read(row))
      return true
    }
    return result
  }

  /// The first row that `sql` yields.
  func row(_ sql: String, _ arguments: Arguments = []) throws -> Row? {
    var first: Row?
    try db.run(sql, arguments) { row in
      first = Row(copying: row)
      return false
    }
    return first
  }

  /// Executes a statement.
  func execute(_ sql: String, _ arguments: Arguments = []) throws {
    try db.execute(sql, arguments)
  }

  /// The stamp of the next row that this store writes.
  ///
  /// A file that was copied has the writer of its original: it takes a name of its own first, so
  /// that no two rows of different stores have one stamp.
  func nextStamp() throws -> Stamp {
    let stamp = try row("UPDATE store SET clock = clock + 1 RETURNING writer, clock, file")
    guard let stamp else { throw EngineFault.corrupt }
    if !state.isWriterKnown {
      state.isWriterKnown = true
      let written: String? = try stamp.optional("file")
      if written != file {
        try takeNewWriter(isCopy: written != nil)
        if written != nil { return try nextStamp() }
      }
    }
    return Stamp(writer: try stamp.required("writer"), clock: try stamp.required("clock"))
  }

  /// Gives the store another name among its peers, or, for a first file, only records the file.
  func takeNewWriter(isCopy: Bool) throws {
    guard isCopy else {
      try execute("UPDATE store SET file = ?", [file])
      return
    }
    let writer = try addWriter(makeUUID())
    try execute("UPDATE store SET writer = ?, clock = 0, file = ?", [writer, file])
  }

  /// Notes what happened to the store, without names and values.
  func audit(_ event: String, _ now: Date) throws {
    try execute("INSERT INTO audit (date, event) VALUES (?, ?)", [now.microseconds, event])
  }

  /// Refuses text that a store would truncate silently.
  func requireStorable(_ texts: String?...) throws(StoreError) {
    for case .some(let text) in texts where text.hasZeroCharacter {
      throw .refused(.zeroCharacter(text))
    }
  }
}

extension String {
  fileprivate var hasZeroCharacter: Bool {
    unsafe utf8.withContiguousStorageIfAvailable { unsafe $0.contains(0) } ?? utf8.contains(0)
  }
}

/// The values that one transaction has read once, or changed; the calls of its body share them.
final class TransactionState {
  /// Whether the store's name among its peers was checked.
  var isWriterKnown = false
  /// Whether the plan was changed, so that what is read of it holds in this transaction only.
  var hasChangedPlan = false
  /// The plan as this transaction has changed it.
  var plan: StoredPlan?
  /// The number of the import or edit of the plan that is being made.
  var record: Int64?
  /// The edit of the plan that is being made.
  var edit: PlanEditRecord?
  /// The secrets that are kept once the transaction has succeeded.
  var secrets: [StoreSecret] = []
  /// Whether bindings or people were removed, so that their secrets may go.
  var hasRemovedSecrets = false
  /// The last number that a row was given; `nil` until one is needed.
  var stored: Int64?
  /// The last numbers of rows, by their tables.
  var numbers: [String: Int64] = [:]
  /// The numbers of series and sources.
  var series: [SeriesKey: Int64] = [:]
  var sources: [SourceKey: Int64] = [:]
  /// The series and source that were used last: most samples have those of the one before.
  var lastSeries: (key: SeriesKey, number: Int64)?
  var lastSource: (key: SourceKey, number: Int64)?
  /// The statement that stores a single sample, compiled.
  var insertSample: CompiledStatement?
  /// Whether anything was ever erased; `nil` until it is known.
  var hasErasures: Bool?
  /// Whether marks of another store removed rows, whose remains are still in the file.
  var hasObeyedMarks = false
  /// Patients whom the store is known to have.
  var owners: Set<String> = []
  /// Whether the patients were erased that were asked for.
  var erased: [String: Bool] = [:]
  /// The spans of streamed samples that were erased, if they were needed.
  var erasedStreams: [ErasureMark.Stream]?
  /// Whether any sample was ever changed; `nil` until it is known.
  var hasSampleChanges: Bool?
  /// The patients that were given another id, if they were needed.
  var aliases: Aliases?
  /// The names of the writers, if they were needed.
  var writerNames: [Int64: UUID]?
  /// The changes of the samples of a device, if they were needed together.
  var changes: [String: ChangeIndex] = [:]
  /// Whether any sample was ever corrected; `nil` until it is known.
  var hasCorrections: Bool?
  /// The block that was unpacked last.
  var unpacked: (block: Int64, samples: [StreamedSample])?

  /// The samples of the events that are being read.
  var linked: LinkedSamples?

  /// Forgets what was read, since some of it may have been undone.
  func forget() {
    numbers = [:]
    (series, sources, lastSeries, lastSource) = ([:], [:], nil, nil)
    (hasSampleChanges, hasCorrections, aliases, changes, unpacked) = (nil, nil, nil, [:], nil)
    (hasErasures, erased, erasedStreams, owners) = (nil, [:], nil, [])
    (plan, linked, writerNames) = (nil, nil, nil)
  }
}

// MARK: - Errors

extension StoreError {
  /// The store's error for any error that occurred in the store at a path, or of that name.
  init(_ error: any Error, in place: String) {
    switch error {
    case let error as StoreError: self = error
    case let error as ScheduleError: self = .refused(.schedule(error))
    case let error as SystemFailure: self = .failed(.system(errno: error.code), store: place)
    case let error as any EngineError: self = .failed(error.failure, store: place)
    case let error as DecodingError: self = .failed(.unreadable(error.reason), store: place)
    // JSON has no such value: infinite, or no number.
    case EncodingError.invalidValue(let value, let context):
      // A date beyond all calendars cannot even be described.
      let text = (value as? Double).map { String($0) } ?? context.debugDescription
      self = .refused(
        .notExportable(.value(text, field: context.codingPath.last?.stringValue ?? "value")))
    default: self = .failed(.unreadable(String(describing: error)), store: place)
    }
  }
}

extension StoreError {
  /// The store's error for any error that occurred while a file was written at a path.
  init(_ error: any Error, writing file: String) {
    switch StoreError(error, in: file) {
    case .failed(let failure, _) where !(error is StoreError):
      self = .notWritten(failure, file: file)
    case let error: self = error
    }
  }
}

extension DecodingError {
  /// The error of a JSON text, and its position.
  var reason: String {
    func name(_ path: [any CodingKey]) -> String {
      path.map(\.stringValue).joined(separator: ".")
    }
    switch self {
    case .keyNotFound(let key, let context):
      return "‘\(name(context.codingPath + [key]))’ is missing"
    case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
      let place = context.codingPath.isEmpty ? "" : " in ‘\(name(context.codingPath))’"
      return context.debugDescription + place
    @unknown default: return String(describing: self)
    }
  }
}
