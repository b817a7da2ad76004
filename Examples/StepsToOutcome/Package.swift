// swift-tools-version: 6.2

import PackageDescription

/// A program that uses two library products of `measured`.
///
/// In a package of your own, depend on a version instead of a path.
let package = Package(
  name: "StepsToOutcome",
  dependencies: [.package(name: "measured", path: "../..")],
  targets: [
    .executableTarget(
      name: "StepsToOutcome",
      dependencies: [
        .product(name: "Measurement", package: "measured"),
        .product(name: "CareStore", package: "measured"),
      ])
  ]
)
