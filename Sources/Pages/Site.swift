/// The page's templates, languages and files.
package struct Site {
  package var bytes: [UInt8] { PackageResources.style_css }
}
