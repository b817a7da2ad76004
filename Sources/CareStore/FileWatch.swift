import Foundation
import Synchronization

/// Tells when a store's file or its log is written by another program (inotify(7)).
///
/// Their folder is watched, since the log comes and goes, and another file may take the store's
/// place.
final class FileWatch: Sendable {
  private let file: CInt
  // Dispatch does not declare it Sendable; any thread may suspend, resume and cancel it.
  nonisolated(unsafe) private let source: any DispatchSourceRead
  private let names: Set<String?>
  private let onWrite: @Sendable () -> Void
  /// Whether this program writes: nobody else does meanwhile, and each page that it writes would wake
  /// it, so that the source is suspended.
  private let isOwn = Mutex(false)

  /// Watches the store at a path; `nil` where the system has no watch for it.
  init?(store path: String, onWrite: @escaping @Sendable () -> Void) {
    let file = inotify_init1(CInt(IN_NONBLOCK) | CInt(IN_CLOEXEC))
    guard file >= 0 else { return nil }
    // A program that ends closes the log, and whoever takes the file's place moves it.
    let kinds = IN_MODIFY | IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO
    guard unsafe inotify_add_watch(file, FileSystem.directory(of: path), UInt32(kinds)) >= 0
    else {
      close(file)
      return nil
    }
    let name = (path as NSString).lastPathComponent
    names = [name, name + Engine.log, nil]
    self.onWrite = onWrite
    self.file = file
    unsafe source = DispatchSource.makeReadSource(fileDescriptor: file)
    unsafe source.setCancelHandler { close(file) }
    unsafe source.setEventHandler { [weak self] in
      self?.isOwn.withLock { isOwn in self?.take(unlessOwn: isOwn) }
    }
    unsafe source.activate()
  }

  deinit {
    // A suspended source cannot end.
    isOwn.withLock { if $0 { unsafe source.resume() } }
    unsafe source.cancel()
  }

  /// Begins a write of this program, which holds the store alone from now on: tells of what was written
  /// before, and of nothing until ``endWrite()``.
  func beginWrite() {
    isOwn.withLock { isOwn in
      take(unlessOwn: false)
      guard !isOwn else { return }
      isOwn = true
      unsafe source.suspend()
    }
  }

  /// Ends a write of this program, as soon as another one may write.
  func endWrite() {
    isOwn.withLock { isOwn in
      take(unlessOwn: isOwn)
      guard isOwn else { return }
      isOwn = false
      unsafe source.resume()
    }
  }

  private func take(unlessOwn isOwn: Bool) {
    let written = Self.names(in: file)
    if !isOwn, written.contains(where: names.contains) { onWrite() }
  }

  /// The names of the files of the waiting events; `nil` for events that were lost.
  private static func names(in file: CInt) -> [String?] {
    var names: [String?] = []
    var bytes = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe bytes.withUnsafeMutableBytes { buffer in
        unsafe read(file, buffer.baseAddress, buffer.count)
      }
      guard count > 0 else { return names }
      var rest = bytes.prefix(count)
      let head = MemoryLayout<inotify_event>.size
      while rest.count >= head {
        let event = unsafe rest.withUnsafeBytes { unsafe $0.loadUnaligned(as: inotify_event.self) }
        let name = rest.dropFirst(head).prefix(Int(clamping: event.len))
        names.append(
          event.mask & UInt32(IN_Q_OVERFLOW) != 0
            ? nil : String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
        rest = rest.dropFirst(head + name.count)
      }
    }
  }
}
