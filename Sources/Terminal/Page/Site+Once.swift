package import Pages

extension Site {
  /// The site that this program contains, which a process reads once.
  ///
  /// - Throws: As ``Pages/Site/init()`` does.
  package static func once() throws -> Site { try read.get() }

  private static let read = Result { try Site() }
}
