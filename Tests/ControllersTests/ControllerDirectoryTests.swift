import SystemBus
import Testing

@testable import Controllers

@Suite struct ControllerDirectoryTests {
  /// Whatever is attached to the machine that runs this, it is listed the same twice.
  @Test func listsTheControllersOfThisMachine() async throws {
    let loop = try EventLoop(name: "test")
    let directory = try ControllerDirectory(loop: loop)
    let controllers = await directory.controllers()
    let (told, tell) = AsyncStream<[AttachedController]>.makeStream()
    await directory.watch { tell.yield($0) }
    #expect(await told.first { _ in true } == controllers)
    await directory.stop()
    loop.stop()
  }
}
