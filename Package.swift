// swift-tools-version: 6.2

import PackageDescription

/// The language settings of every target: the strictest set that the toolchain offers.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
]

/// The settings of rooms that compute: optimised in a debug build, too, for their tests' sake.
///
/// SwiftPM takes such flags from a root package alone.
let computing: [SwiftSetting] =
  Context.packageDirectory.contains("/checkouts/")
  ? strict : strict + [.unsafeFlags(["-O"], .when(configuration: .debug))]

let argumentParser = Target.Dependency.product(
  name: "ArgumentParser", package: "swift-argument-parser")
let hummingbirdCore = Target.Dependency.product(name: "HummingbirdCore", package: "hummingbird")
let httpTypes = Target.Dependency.product(name: "HTTPTypes", package: "swift-http-types")
let hummingbird = Target.Dependency.product(name: "Hummingbird", package: "hummingbird")
let lifecycle = Target.Dependency.product(
  name: "ServiceLifecycle", package: "swift-service-lifecycle")
let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let grdb = Target.Dependency.product(name: "GRDB", package: "GRDB.swift")
let mustache = Target.Dependency.product(name: "Mustache", package: "swift-mustache")
let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let sqlite = Target.Dependency.product(name: "GRDBSQLite", package: "GRDB.swift")
let unixSignals = Target.Dependency.product(
  name: "UnixSignals", package: "swift-service-lifecycle")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")

/// The settings of tests, whose numbers come from nowhere but themselves: `Int(_: Double)` is no
/// error there (`Care/Quantities/CheckedNumber.swift`).
let testing: [SwiftSetting] = strict + [.treatWarning("DeprecatedDeclaration", as: .warning)]

func room(
  _ name: String, _ dependencies: [Target.Dependency] = [], _ settings: [SwiftSetting] = strict
) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// A C library of the system: a module map and the thinnest possible shim.
func system(_ name: String, package: String, pkgConfig: String) -> Target {
  .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([package])])
}

func tests(
  _ name: String, _ dependencies: [Target.Dependency] = [], exclude: [String] = []
) -> Target {
  .testTarget(
    name: name + "Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies,
    exclude: exclude, swiftSettings: testing)
}

let package = Package(
  name: "measured",
  products: [
    // A product names every module whose types a consumer meets in its API.
    .library(name: "Measurement", targets: ["Measurement", "Motion"]),
    .library(name: "Attribution", targets: ["Attribution"]),
    .library(name: "GATT", targets: ["GATT"]),
    .library(
      name: "DeviceCatalog", targets: ["Care", "DeviceCatalog", "GATT", "Motion", "Radio"]),
    .library(name: "CareStore", targets: ["Care", "CareStore", "Motion"]),
    .library(name: "Interchange", targets: ["Care", "Interchange", "Motion"]),
    .library(name: "Traces", targets: ["GATT", "Motion", "Radio", "Traces"]),
    .executable(name: "measured", targets: ["measured"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(
      url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.0",
      traits: ["FullFoundation"]),
    .package(url: "https://github.com/hummingbird-project/swift-mustache", from: "2.1.0"),
    .package(url: "https://github.com/jpsim/Yams", from: "6.2.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    // Never built: `make docs` runs it.
    .package(url: "https://github.com/swiftlang/swift-docc-plugin", from: "1.5.0"),
  ],
  targets: [
    // Floor 0: libraries of the system.
    system("CBluetooth", package: "libbluetooth-dev", pkgConfig: "bluez"),
    system("CUdev", package: "libudev-dev", pkgConfig: "libudev"),
    system("CSystemd", package: "libsystemd-dev", pkgConfig: "libsystemd"),
    system("CCrypto", package: "libssl-dev", pkgConfig: "libcrypto"),
    system("CCurl", package: "libcurl4-openssl-dev", pkgConfig: "libcurl"),
    system("CMosquitto", package: "libmosquitto-dev", pkgConfig: "libmosquitto"),
    system("CQRencode", package: "libqrencode-dev", pkgConfig: "libqrencode"),
    system("CSQLite", package: "libsqlite3-dev", pkgConfig: "sqlite3"),
    system("CZlib", package: "zlib1g-dev", pkgConfig: "zlib"),
    // The page's files: clang embeds them in a moment, where SwiftPM's `.embedInCode` makes literals
    // that take a minute to compile.
    .target(name: "CAssets"),
    // libpq, which is loaded where a store on PostgreSQL is opened.
    .target(name: "CPostgres"),

    // Floor 1: what stands on the standard library (and Foundation's calendars in `Care`).
    room("Digests", ["CCrypto"]),
    room("EmbeddedFiles", ["CAssets"]),
    room("FixedPoint", [], computing),
    room("ForeignTables", ["CSQLite"]),
    room("PrivateFiles"),
    room("Motion", [], computing),
    room("QRCodes", ["CQRencode"]),
    room("Recency"),
    room("GATT"),
    room("Inflation", ["CZlib"]),
    room("Care", ["Motion"]),
    room("StrictYAML", [yams]),

    // Floor 2: values and pure computation.
    room("Attribution", ["FixedPoint"], computing),
    room("Measurement", ["FixedPoint", "Motion"], computing),
    room("Radio", ["GATT", "Motion"]),
    room("SystemBus", ["CSystemd"]),
    room("Controllers", ["CUdev", "Radio", "SystemBus"]),
    room("Plans", ["Care", "Digests", "Motion", "StrictYAML"]),

    // Floor 3: devices, recordings, persistence.
    room("Agenda", ["Care"]),
    room("Assessments", ["Care", "Measurement", "Motion"]),
    room(
      "DeviceCatalog", ["Care", "Digests", "GATT", "Motion", "Radio", "Recency", "StrictYAML"]),
    room("Traces", ["Care", "GATT", "Inflation", "Motion", "Radio"]),
    room(
      "CareStore",
      ["CPostgres", "CZlib", "Care", "Digests", "Motion", "PrivateFiles", grdb, sqlite]),
    room(
      "KernelRadio", ["CBluetooth", "Controllers", "GATT", "PrivateFiles", "Radio", "SystemBus"]),
    room("BluetoothdRadio", ["Controllers", "GATT", "Radio", "SystemBus"]),

    room("Access", ["Digests", "PrivateFiles"]),

    // The shapes that people's programs read: JSON of the command line and of the interface.
    room(
      "Interchange", ["Agenda", "Assessments", "Care", "Digests", "ForeignTables", "Inflation"]),

    // Floor 4: what leaves by itself, and everything that a person, a program or a rule can do.
    room("Outlets", ["CCurl", "CMosquitto", "Care", "CareStore", "Digests", "Interchange"]),
    room(
      "Actions",
      [
        "Access", "Assessments", "Attribution", "Care", "CareStore", "Digests", "Exchange",
        "Interchange", "Measurement", "Outlets",
      ]),

    // Floor 5: every text that people read.
    .target(
      name: "Localization",
      dependencies: [
        "Access", "Actions", "Agenda", "Assessments", "Attribution", "Care", "CareStore",
        "EmbeddedFiles", "Interchange", "Measurement", "Motion", "Outlets", "Plans", "PrivateFiles",
        "StrictYAML",
      ],
      exclude: ["Resources"], swiftSettings: strict),

    // Two stores of the same people. The standard library has a module named Synchronization.
    room("Exchange", ["Agenda", "Care", "CareStore", "Digests", "Interchange"]),

    // Floor 6 and 7: the heart and its doors.
    .target(
      name: "Pages",
      dependencies: [
        "Actions", "Agenda", "Assessments", "Care", "EmbeddedFiles", "Localization", "Motion",
        "Outlets", "QRCodes", mustache,
      ],
      exclude: ["Resources"], swiftSettings: strict),
    room(
      "Hub",
      [
        "Actions", "Assessments", "Attribution", "Care", "DeviceCatalog", "GATT", "Measurement",
        "Motion", "Radio", "Recency",
      ]),
    .target(
      name: "Web",
      dependencies: [
        "Access", "Actions", "Agenda", "Assessments", "Care", "CareStore", "Digests",
        "EmbeddedFiles",
        "Exchange", "Interchange", "Localization", "Measurement", "Outlets", "Pages",
        "PrivateFiles", "Recency", "StrictYAML", httpTypes, hummingbird, hummingbirdCore,
        lifecycle, logging, nioCore, nioHTTP1, nioPosix,
      ],
      exclude: ["Resources"], swiftSettings: strict),

    // A thousand boxes and their centre, for `make fleet-test`; no product needs it.
    .executableTarget(
      name: "fleet", dependencies: ["Agenda", "Care", "CareStore", "Digests", "Exchange"],
      path: "Tests/Fleet", swiftSettings: strict),

    // The program: what its commands share, the three rooms of commands, which know nothing of each
    // other, and the executable that lists them.
    room(
      "Terminal",
      [
        "Access", "Actions", "Agenda", "Assessments", "BluetoothdRadio", "Care", "CareStore",
        "Controllers", "DeviceCatalog", "Exchange", "GATT", "Hub", "Interchange", "KernelRadio",
        "Localization", "Measurement", "Outlets", "Pages", "Plans", "PrivateFiles", "Radio",
        "StrictYAML", "SystemBus", "Traces", "Web", argumentParser, logging, lifecycle, unixSignals,
      ]),
    room(
      "Commands",
      [
        "Access", "Actions", "Agenda", "Assessments", "Care", "CareStore", "DeviceCatalog",
        "Exchange", "GATT", "Hub", "Interchange", "Localization", "Motion", "Outlets", "Pages",
        "Plans", "PrivateFiles", "QRCodes", "Radio", "StrictYAML", "SystemBus", "Terminal",
        "Traces",
        argumentParser, logging, unixSignals,
      ]),
    room(
      "Daemon",
      [
        "Access", "Actions", "Assessments", "BluetoothdRadio", "Care", "CareStore", "Controllers",
        "DeviceCatalog", "Exchange", "GATT", "Hub", "Interchange", "KernelRadio", "Localization",
        "Outlets", "Pages", "Plans", "PrivateFiles", "Radio", "Recency", "StrictYAML", "SystemBus",
        "Terminal", "Traces", "Web", argumentParser, logging, lifecycle, unixSignals,
      ]),
    room(
      "Lab",
      [
        "Assessments", "Care", "CareStore", "DeviceCatalog", "GATT", "Hub", "Interchange",
        "Localization", "Measurement", "Motion", "Pages", "Plans", "Radio", "StrictYAML",
        "Terminal", "Traces", "Web", argumentParser, lifecycle,
      ]),
    .executableTarget(
      name: "measured",
      dependencies: [
        "Commands", "Daemon", "Digests", "Lab", "Localization", "Terminal", argumentParser,
      ], swiftSettings: strict),

    .target(
      name: "TestSupport", dependencies: ["Motion"], path: "Tests/TestSupport",
      swiftSettings: computing),
    // A scripted kernel and a fake bluetoothd for the tests of both radios.
    .target(
      name: "RadioTestSupport",
      dependencies: [
        "BluetoothdRadio", "Controllers", "GATT", "KernelRadio", "Radio", "SystemBus",
        "TestSupport",
      ],
      path: "Tests/RadioTestSupport", swiftSettings: strict),
    // Requests to the page and the interface, without a connection.
    .target(
      name: "WebTestSupport", dependencies: ["Web", httpTypes, hummingbird, logging, nioCore],
      path: "Tests/WebTestSupport", swiftSettings: strict),
    tests("Digests"),
    tests("EmbeddedFiles"),
    tests("FixedPoint"),
    tests("ForeignTables", ["CSQLite"]),
    tests("PrivateFiles"),
    tests("Motion"),
    tests("QRCodes", ["Care", "Digests"]),
    tests("Recency"),
    tests("GATT"),
    tests("Care", ["Motion"]),
    tests("StrictYAML"),
    tests("Attribution"),
    tests("Measurement", ["FixedPoint", "Motion"]),
    tests("Agenda", ["Assessments", "Care", "CareStore", "Plans", "StrictYAML"]),
    tests("Assessments", ["Care", "Measurement", "Motion"]),
    tests("Plans", ["Assessments", "Care", "Motion", "StrictYAML"]),
    tests("DeviceCatalog", ["Care", "Digests", "GATT", "Motion", "Radio", "StrictYAML"]),
    tests("SystemBus"),
    tests("Controllers"),
    tests(
      "Radio", ["BluetoothdRadio", "GATT", "KernelRadio", "RadioTestSupport", "SystemBus"]),
    tests(
      "KernelRadio",
      ["Controllers", "GATT", "PrivateFiles", "Radio", "RadioTestSupport", "SystemBus"]),
    tests(
      "BluetoothdRadio", ["Controllers", "GATT", "Radio", "RadioTestSupport", "SystemBus"]),
    tests("Traces", ["CZlib", "Care", "GATT", "Measurement", "Motion", "Radio"]),
    tests("CareStore", ["Care", "Motion", "PrivateFiles", grdb]),
    tests(
      "Actions",
      ["Access", "Care", "CareStore", "Exchange", "Interchange", "Outlets", "Plans"]),
    tests(
      "Hub",
      [
        "Actions", "Assessments", "Attribution", "Care", "CareStore", "DeviceCatalog", "GATT",
        "Measurement", "Motion", "Plans", "Radio", "Traces",
      ]),
    tests("Access", ["Digests", "PrivateFiles"]),
    tests("Exchange", ["Agenda", "Care", "CareStore", "Digests"]),
    tests("Interchange", ["Care", "Motion"]),
    tests("Outlets", ["Care", "CareStore", "Digests", "Interchange"]),
    tests("Localization", ["Assessments", "Care", "CareStore"], exclude: ["Languages"]),
    tests(
      "Pages",
      [
        "Actions", "Agenda", "Assessments", "Care", "CareStore", "Localization", "Motion",
        "Outlets",
      ]),
    tests(
      "Web",
      [
        "Access", "Actions", "Assessments", "Care", "CareStore", "Digests", "Exchange",
        "Interchange", "Localization", "Measurement", "Motion", "Outlets", "Pages",
        "WebTestSupport", httpTypes,
        hummingbird,
        logging,
        nioCore, nioEmbedded, nioHTTP1,
      ]),
    tests(
      "measured",
      [
        "Access", "Actions", "Agenda", "Assessments", "Care", "CareStore", "Commands",
        "Controllers",
        "Daemon", "DeviceCatalog", "Digests", "Exchange", "GATT", "Hub", "Interchange",
        "Localization",
        "Measurement", "Motion", "Outlets", "Pages", "Plans", "PrivateFiles", "Radio",
        "StrictYAML",
        "SystemBus", "Traces", "Web", "WebTestSupport", argumentParser, lifecycle, logging,
      ]),
  ]
)
