// swift-tools-version: 6.2

import PackageDescription

/// Benchmarks live in a package of their own, which a normal build does not touch:
/// `swift run -c release --package-path Benchmarks measured-bench`.
let package = Package(
  name: "Benchmarks",
  dependencies: [
    .package(name: "measured", path: ".."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .executableTarget(
      name: "measured-bench",
      dependencies: [
        .product(name: "Attribution", package: "measured"),
        .product(name: "CareStore", package: "measured"),
        .product(name: "DeviceCatalog", package: "measured"),
        .product(name: "Measurement", package: "measured"),
        .product(name: "Traces", package: "measured"),
        // SQLite itself, as a reference for the store.
        .product(name: "GRDBSQLite", package: "GRDB.swift"),
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
