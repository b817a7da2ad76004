import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import Synchronization

/// The services of the Unix socket beside the page and the interface: the radio's commands.
package struct LocalDoor: Sendable {
  /// The facts that a program asks for before it uses the socket.
  package struct Facts: Codable, Hashable, Sendable {
    /// The program's version.
    package var version: String
    /// The version of the conversations.
    package var conversation: Int
    /// The store's path.
    package var store: String
    /// The identity of the store's file: `64768:131`; `nil` in memory.
    package var file: String?
    /// How the radio is reached, `bluetoothd` or `kernel`; `nil` without a radio.
    package var radio: String?
    /// Why the radio has no controller that works; `nil` while it has one.
    package var radioTrouble: String?
    /// The faults of the settings, the plan, the definitions and the page; `nil` in a program that
    /// does not say.
    package var faults: [String]?
    /// The address of the page, `http://127.0.0.1:8473/`; `nil` while none is served.
    package var page: String?

    /// Makes the facts of a program.
    package init(
      version: String, conversation: Int, store: String, file: String?, radio: String?,
      radioTrouble: String? = nil, faults: [String]? = nil, page: String? = nil
    ) {
      self.version = version
      self.conversation = conversation
      self.store = store
      self.file = file
      self.radio = radio
      self.radioTrouble = radioTrouble
      self.faults = faults
      self.page = page
    }
  }

  /// Returns the facts of this program.
  package var facts: @Sendable () -> Facts
  /// Shares the radio; `nil` without one.
  package var radio: Conversation?

  /// The most conversations at a time.
  package static let most = 64

  /// Makes a door.
  package init(
    facts: @escaping @Sendable () -> Facts, radio: Conversation? = nil
  ) {
    self.facts = facts
    self.radio = radio
  }
}

/// The routes of a ``LocalDoor``: they are not served over TCP.
///
/// A conversation is one request whose body and answer are JSON Lines that go both ways at once.
/// The server ends it if the program sends nothing for twenty seconds.
struct LocalRoutes {
  let door: LocalDoor
  private let count = ConversationCount()

  init(door: LocalDoor) { self.door = door }

  func add(to group: RouterGroup<WebContext>) {
    group.get("daemon") { [door] _, _ in try JSONBody.response(door.facts()) }
    guard let radio = door.radio else { return }
    group.post("radio") { [count] request, _ in try Self.converse(request, count, radio) }
  }

  /// The media type of both directions.
  static let type = "application/x-ndjson"

  private static func converse(
    _ request: Request, _ count: ConversationCount, _ conversation: @escaping Conversation
  ) throws -> Response {
    guard request.mediaType == type else {
      throw HTTPError(.unsupportedMediaType, message: "Send \(type).")
    }
    guard let place = count.place() else {
      throw HTTPError(
        .serviceUnavailable, message: "Too many commands are waiting. Try again later.")
    }
    let body = request.body
    return Response(
      status: .ok, headers: [.contentType: type, .cacheControl: "no-store"],
      body: ResponseBody { writer in
        defer { withExtendedLifetime(place) {} }
        let outbox = LineQueue()
        let inbox = LineQueue()
        await withTaskGroup(of: Void.self) { tasks in
          tasks.addTask {
            await Self.read(body, into: inbox)
            inbox.finish()
          }
          tasks.addTask {
            var lines = ClientLines(inbox)
            await conversation(&lines, outbox)
            outbox.finish()
          }
          while let part = await outbox.next() {
            // A program that is gone ends its conversation.
            guard (try? await writer.write(part)) != nil else { break }
          }
          tasks.cancelAll()
        }
        try await writer.finish(nil)
      })
  }
}

extension LocalRoutes {
  /// Reads a request's body until its end; a program that sends faster than it is read waits.
  private static func read(_ body: RequestBody, into queue: LineQueue) async {
    do {
      for try await part in body {
        try await queue.write(Data(part.readableBytesView))
      }
    } catch {}
  }
}

/// How many conversations there are.
private final class ConversationCount: Sendable {
  private let count = Mutex(0)

  /// The place of one conversation, until it is released.
  final class Place: Sendable {
    private let owner: ConversationCount

    fileprivate init(_ owner: ConversationCount) { self.owner = owner }

    deinit { owner.count.withLock { $0 -= 1 } }
  }

  /// A place for one more; `nil` if there are as many as may be.
  func place() -> Place? {
    let isFree = count.withLock { count in
      guard count < LocalDoor.most else { return false }
      count += 1
      return true
    }
    return isFree ? Place(self) : nil
  }
}
