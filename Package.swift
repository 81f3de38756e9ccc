// swift-tools-version: 6.2
import PackageDescription

/// The habits of every target of this package, generated code included.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let flyingSocks: Target.Dependency = .product(name: "FlyingSocks", package: "FlyingFox")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
  name: "kith",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "ATProtoCore", targets: ["ATProtoCore"]),
    .library(name: "ATProtoLexicons", targets: ["ATProtoLexicons"]),
    .library(name: "ATProtoClient", targets: ["ATProtoClient"]),
    .library(name: "CurlTransport", targets: ["CurlTransport"]),
    .library(name: "URLSessionTransport", targets: ["URLSessionTransport"]),
    .library(name: "SystemResolver", targets: ["SystemResolver"]),
    .library(name: "Relationships", targets: ["Relationships"]),
    .library(name: "RelationshipWriting", targets: ["RelationshipWriting"]),
    .library(name: "RelationshipStore", targets: ["RelationshipStore"]),
    .executable(name: "kith", targets: ["kith"]),
  ],
  // Held to a minor version: Kith uses underscored members of ArgumentParser, and FlyingFox is before 1.0. Only the
  // command and the sandbox need them; the others take any later minor, so that apps can resolve beside them.
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", .upToNextMinor(from: "1.8.0")),
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/swhitty/FlyingFox", .upToNextMinor(from: "0.27.1")),
  ],
  targets: [
    .target(name: "ATProtoCore"),
    .target(name: "ATProtoLexicons", dependencies: ["ATProtoCore"]),
    .target(
      name: "ATProtoClient", dependencies: ["ATProtoCore", "ATProtoLexicons", deque, httpTypes, logging]),
    .target(
      name: "Relationships", dependencies: ["ATProtoClient", "ATProtoCore", "ATProtoLexicons", deque]),
    .target(
      name: "RelationshipWriting",
      dependencies: ["ATProtoClient", "ATProtoCore", "ATProtoLexicons", "Relationships"]),
    .target(name: "RelationshipInsights", dependencies: ["ATProtoCore"]),
    .target(
      name: "RelationshipStore",
      dependencies: ["ATProtoClient", "ATProtoCore", "RelationshipWriting", "Relationships", grdb]),
    .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(name: "CurlTransport", dependencies: ["ATProtoClient", "ATProtoCore", "CCurl", httpTypes]),
    .target(name: "URLSessionTransport", dependencies: ["ATProtoClient", "ATProtoCore", httpTypes]),
    .systemLibrary(name: "CResolv"),
    .target(name: "SystemResolver", dependencies: ["ATProtoClient", "ATProtoCore", "CResolv"]),
    .systemLibrary(name: "CProcess"),
    .target(name: "ATProtoSandbox", dependencies: ["ATProtoCore", "ATProtoLexicons", flyingSocks]),
    .target(
      name: "CNoUnicodeData", cSettings: [.define("KITH_NO_UNICODE_DATA", .when(configuration: .release))]),
    .executableTarget(
      name: "kith",
      dependencies: [
        "ATProtoClient", "ATProtoCore", "ATProtoSandbox", "CNoUnicodeData", "CProcess", "CurlTransport",
        "RelationshipInsights", "RelationshipStore", "RelationshipWriting", "Relationships", "SystemResolver",
        argumentParser, logging,
      ]),
    .executableTarget(name: "lexgen", dependencies: ["ATProtoCore"]),
    .executableTarget(name: "kith-manual"),

    .executableTarget(
      name: "DecodeBench", dependencies: ["ATProtoCore", "ATProtoLexicons"], path: "Benchmarks/DecodeBench"),
    .executableTarget(
      name: "HistoryBench", dependencies: ["ATProtoCore", "RelationshipStore", "Relationships"],
      path: "Benchmarks/HistoryBench"),
    .executableTarget(
      name: "InsightsBench", dependencies: ["ATProtoCore", "RelationshipInsights"],
      path: "Benchmarks/InsightsBench"),
    .executableTarget(
      name: "ServiceBench", dependencies: ["ATProtoClient", "ATProtoCore", "CurlTransport", "Relationships"],
      path: "Benchmarks/ServiceBench"),
    .executableTarget(
      name: "TransportBench", dependencies: ["ATProtoClient", "CurlTransport", httpTypes],
      path: "Benchmarks/TransportBench"),

    .target(
      name: "TestSupport",
      dependencies: ["ATProtoClient", "ATProtoCore", "RelationshipWriting", "Relationships", httpTypes],
      path: "Tests/TestSupport"),
    .testTarget(
      name: "ATProtoCoreTests", dependencies: ["ATProtoCore", "TestSupport"],
      exclude: ["Vectors", "Wording/errors.txt"]),
    .testTarget(name: "ATProtoLexiconsTests", dependencies: ["ATProtoLexicons", "ATProtoCore"]),
    .testTarget(
      name: "lexgenTests", dependencies: ["lexgen", "ATProtoLexicons", "ATProtoCore", "TestSupport"],
      exclude: ["Vectors", "Wording"]),
    .testTarget(
      name: "ATProtoSandboxTests",
      dependencies: [
        "ATProtoClient", "ATProtoCore", "ATProtoLexicons", "ATProtoSandbox", "CurlTransport", "TestSupport",
        httpTypes,
      ],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "ATProtoClientTests",
      dependencies: ["ATProtoClient", "ATProtoCore", "ATProtoLexicons", "TestSupport", httpTypes, logging],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "RelationshipsTests",
      dependencies: [
        "ATProtoClient", "ATProtoCore", "ATProtoLexicons", "RelationshipInsights", "Relationships",
        "TestSupport", httpTypes,
      ],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "RelationshipWritingTests",
      dependencies: [
        "ATProtoClient", "ATProtoCore", "ATProtoLexicons", "RelationshipWriting", "Relationships",
        "TestSupport", httpTypes,
      ],
      exclude: ["Wording/errors.txt"]),
    .testTarget(name: "RelationshipInsightsTests", dependencies: ["ATProtoCore", "RelationshipInsights"]),
    .testTarget(
      name: "RelationshipStoreTests",
      dependencies: [
        "ATProtoClient", "ATProtoCore", "RelationshipWriting", "Relationships", "RelationshipStore",
        "TestSupport", grdb, httpTypes,
      ],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "CurlTransportTests",
      dependencies: ["CurlTransport", "ATProtoClient", "ATProtoCore", "TestSupport", httpTypes],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "URLSessionTransportTests",
      dependencies: ["URLSessionTransport", "ATProtoClient", "ATProtoCore", "TestSupport", httpTypes],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "SystemResolverTests",
      dependencies: ["SystemResolver", "ATProtoClient", "ATProtoCore", "TestSupport"]),
    .testTarget(
      name: "kithTests",
      dependencies: [
        "ATProtoClient", "ATProtoCore", "ATProtoLexicons", "ATProtoSandbox", "CurlTransport",
        "RelationshipInsights", "RelationshipStore", "RelationshipWriting", "Relationships", "TestSupport",
        "URLSessionTransport", "kith", argumentParser, logging,
      ],
      exclude: ["Completion/complete.exp", "Help", "Sessions/Transcripts", "Wording/errors.txt"]),
    .testTarget(
      name: "kithManualTests", dependencies: ["kith", "kith-manual", "TestSupport", argumentParser]),
    .testTarget(
      name: "AppTests",
      dependencies: [
        "ATProtoClient", "ATProtoCore", "ATProtoLexicons", "CurlTransport", "RelationshipStore",
        "RelationshipWriting", "Relationships", "URLSessionTransport", "kith",
      ],
      packageAccess: false),
    .testTarget(
      name: "NetworkTests",
      dependencies: [
        "ATProtoClient", "ATProtoCore", "ATProtoLexicons", "CurlTransport", "RelationshipWriting",
        "Relationships", "TestSupport", "URLSessionTransport", "kith", httpTypes,
      ],
      path: "Tests/Network", exclude: ["harness"]),
  ]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = (target.swiftSettings ?? []) + strict
}
