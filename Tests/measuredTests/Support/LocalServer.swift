import CareStore
import DeviceCatalog
import Foundation
import Logging
import ServiceLifecycle
import Testing
import Web

@testable import Daemon
@testable import Terminal

/// Runs what waits on a thread of its own: the threads of tasks are few, and others need them.
func onThread<Value: Sendable>(
  _ body: @escaping @Sendable () throws -> Value
) async throws -> Value {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}

/// A server on a Unix socket in this process.
struct LocalServer {
  private let path: String
  private let server: WebServer

  init(path: String, _ door: () -> LocalDoor) throws {
    self.path = path
    let store = try SQLStore.inMemory(makeUUID: { UUID() })
    server = WebServer(
      WebEnvironment(
        store: store, path: nil, catalog: try DeviceCatalog.readable(folder: nil).catalog),
      address: .socket(path: path), local: door(),
      mostConnections: LocalDoor.most + 16,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  /// Serves while `body` runs.
  func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
    let group = ServiceGroup(
      services: [server], logger: Logger(label: "group") { _ in SwiftLogNoOpLogHandler() })
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try await group.run() }
      tasks.addTask { [path] in
        do {
          try await bounded("the end of the conversation") {
            try await until("the socket") {
              try await onThread { DaemonSocket(asking: path) } != nil
            }
            try await body()
          }
        } catch { Issue.record(error) }
        await group.triggerGracefulShutdown()
      }
      try await tasks.waitForAll()
    }
  }
}
