package import SystemBus

/// The controllers that are attached to this machine, and their changes.
///
/// It runs on the thread of its loop.
package actor ControllerDirectory {
  private let loop: EventLoop
  private let directory: DeviceDirectory
  private var known: [AttachedController] = []
  private var watch: EventLoop.Watch?

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  /// Opens the machine's list of devices.
  ///
  /// - Throws: ``SystemError`` if a sandbox prevents it.
  package init(loop: EventLoop) throws(SystemError) {
    self.loop = loop
    directory = try DeviceDirectory()
  }

  deinit {
    if let watch { loop.cancel(watch) }
  }

  /// The controllers that are present, by name.
  package func controllers() -> [AttachedController] {
    AttachedController.all(among: directory.devices())
  }

  /// Reports the controllers to `listener`, now and after every change.
  ///
  /// - Parameter listener: Called on the loop's thread.
  package func watch(_ listener: @escaping @Sendable ([AttachedController]) -> Void) {
    if let watch { loop.cancel(watch) }
    watch = loop.watch(directory.file, for: .readable) { [weak self] _ in
      self?.assumeIsolated { $0.update(for: listener) }
    }
    known = controllers()
    listener(known)
  }

  /// Ends the reports.
  package func stop() {
    if let watch { loop.cancel(watch) }
    watch = nil
  }

  private func update(for listener: @Sendable ([AttachedController]) -> Void) {
    guard directory.takeChanges() else { return }
    let now = controllers()
    guard now != known else { return }
    known = now
    listener(now)
  }
}
