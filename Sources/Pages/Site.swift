/// The page's templates, languages and files.
package struct Site: Sendable {
  package init() {}
  package var bytes: [UInt8] { PackageResources.style_css }
}
