/// The commands that wait for their answers.
///
/// The kernel names the command that it answers and nothing else, so of each kind one is under way
/// at a controller and the others wait in line. A value: it says what to send, and whom to answer.
struct MgmtRequests: Sendable {
  /// One command, from when it is asked for until it is answered.
  struct Request: Hashable, Sendable {
    /// Which request, counted from 0.
    var id: UInt64
    var controller: UInt16
    var command: MgmtCommand
  }

  private struct Key: Hashable {
    var controller: UInt16
    var code: UInt16
  }

  private var lines: [Key: [Request]] = [:]
  private var nextID: UInt64 = 0

  /// Adds a command.
  ///
  /// - Returns: The request, and whether to send it now.
  mutating func add(_ command: MgmtCommand, to controller: UInt16) -> (Request, isNext: Bool) {
    let request = Request(id: nextID, controller: controller, command: command)
    nextID += 1
    let key = Key(controller: controller, code: command.code)
    lines[key, default: []].append(request)
    return (request, lines[key]?.count == 1)
  }

  /// An answer came.
  ///
  /// - Returns: Whose it is, and what to send next; neither where nobody waits for it.
  mutating func answer(
    _ code: UInt16, from controller: UInt16
  ) -> (answered: Request, next: Request?)? {
    remove(from: Key(controller: controller, code: code)) { _ in true }
  }

  /// Nobody waits for a request any more: it took too long, or could not be sent.
  ///
  /// - Returns: What to send next.
  mutating func drop(_ request: Request) -> Request? {
    let key = Key(controller: request.controller, code: request.command.code)
    let isFirst = lines[key]?.first?.id == request.id
    let dropped = remove(from: key) { $0.id == request.id }
    return isFirst ? dropped?.next : nil
  }

  /// A controller went away, or all of them.
  ///
  /// - Returns: The requests that will not be answered, in the order they were made.
  mutating func dropAll(of controller: UInt16? = nil) -> [Request] {
    let keys = lines.keys.filter { controller == nil || $0.controller == controller }
    return keys.flatMap { lines.removeValue(forKey: $0) ?? [] }.sorted { $0.id < $1.id }
  }

  private mutating func remove(
    from key: Key, where matches: (Request) -> Bool
  ) -> (answered: Request, next: Request?)? {
    guard var line = lines[key], let index = line.firstIndex(where: matches) else { return nil }
    let request = line.remove(at: index)
    lines[key] = line.isEmpty ? nil : line
    return (request, line.first)
  }
}
