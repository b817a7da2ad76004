import Foundation

/// Tells when a store's file or its log is written, by whatever program (inotify(7)).
///
/// Their folder is watched, since the log comes and goes, and another file may take the store's
/// place.
final class FileWatch: Sendable {
  /// Ends the watch when it is released.
  private let events: FileHandle

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
    events = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    events.readabilityHandler = { handle in
      let names = Self.names(in: handle.fileDescriptor)
      if names.contains(where: { [name, name + Engine.log, nil].contains($0) }) { onWrite() }
    }
  }

  deinit { events.readabilityHandler = nil }

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
