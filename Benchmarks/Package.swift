// swift-tools-version: 6.2

import PackageDescription

/// Benchmarks live in a package of their own, which a normal build does not touch:
/// `swift run -c release --package-path Benchmarks measured-bench`.
let package = Package(
  name: "Benchmarks",
  dependencies: [.package(name: "measured", path: "..")],
  targets: [
    .executableTarget(
      name: "measured-bench",
      dependencies: [
        // For `Care`, which has no product of its own.
        .product(name: "DeviceCatalog", package: "measured"),
        .product(name: "Measurement", package: "measured"),
        .product(name: "Traces", package: "measured"),
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6),
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
      ])
  ]
)
