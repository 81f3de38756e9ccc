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
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

let package = Package(
  name: "kith",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "KithCore", targets: ["KithCore"]),
    .library(name: "KithLexicons", targets: ["KithLexicons"]),
    .library(name: "KithClient", targets: ["KithClient"]),
    .library(name: "KithCurlTransport", targets: ["KithCurlTransport"]),
    .library(name: "KithURLSessionTransport", targets: ["KithURLSessionTransport"]),
    .library(name: "KithSystemResolver", targets: ["KithSystemResolver"]),
    .library(name: "KithRelationships", targets: ["KithRelationships"]),
    .library(name: "KithPosts", targets: ["KithPosts"]),
    .library(name: "KithWriting", targets: ["KithWriting"]),
    .library(name: "KithHistory", targets: ["KithHistory"]),
    .library(name: "KithInsights", targets: ["KithInsights"]),
    .library(name: "KithOperations", targets: ["KithOperations"]),
    .library(name: "KithWording", targets: ["KithWording"]),
    .library(name: "KithStore", targets: ["KithStore"]),
    .library(name: "KithTestSupport", targets: ["KithTestSupport"]),
    .executable(name: "kith", targets: ["kith"]),
    .executable(name: "kith-sandbox", targets: ["kith-sandbox"]),
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
    .target(name: "KithCore"),
    .target(name: "KithLexicons", dependencies: ["KithCore"]),
    .target(
      name: "KithClient", dependencies: ["KithCore", "KithLexicons", deque, httpTypes, logging]),
    .systemLibrary(name: "CKithCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .target(
      name: "KithCrypto",
      dependencies: ["KithCore", .target(name: "CKithCrypto", condition: .when(platforms: [.linux]))]),
    .target(
      name: "KithRelationships",
      dependencies: ["KithClient", "KithCore", "KithCrypto", "KithLexicons", deque]),
    .target(
      name: "KithHistory", dependencies: ["KithClient", "KithCore", "KithLexicons", "KithRelationships"]),
    .target(
      name: "KithWriting",
      dependencies: [
        "KithClient", "KithCore", "KithCrypto", "KithLexicons", "KithRelationships",
      ]),
    .target(
      name: "KithPosts",
      dependencies: ["KithClient", "KithCore", "KithCrypto", "KithLexicons", "KithRelationships", heap]),
    .target(name: "KithInsights", dependencies: ["KithCore"]),
    .target(
      name: "KithStore",
      dependencies: ["KithClient", "KithCore", "KithHistory", "KithWriting", "KithRelationships", grdb]),
    .target(
      name: "KithOperations",
      dependencies: [
        "KithClient", "KithCore", "KithHistory", "KithInsights", "KithLocalMessages", "KithPosts",
        "KithRelationships", "KithWriting", httpTypes, logging,
      ]),
    .target(
      name: "KithWording",
      dependencies: [
        "KithClient", "KithCore", "KithHistory", "KithInsights", "KithOperations", "KithPosts",
        "KithRelationships", "KithWriting",
      ]),
    .target(
      name: "KithDashboard",
      dependencies: [
        "KithClient", "KithCore", "KithCrypto", "KithHistory", "KithInsights", "KithLocalMessages",
        "KithOperations", "KithPosts", "KithRelationships", "KithWording", "KithWriting", httpTypes,
      ],
      // In the program itself: it is one file.
      resources: [.embedInCode("Assets")]),
    .systemLibrary(name: "CKithCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
    .target(
      name: "KithCurlTransport",
      dependencies: ["KithClient", "KithCore", "KithCrypto", "CKithCurl", httpTypes]),
    .target(name: "KithURLSessionTransport", dependencies: ["KithClient", "KithCore", httpTypes]),
    .systemLibrary(name: "CKithResolv"),
    .target(name: "KithSystemResolver", dependencies: ["KithClient", "KithCore", "CKithResolv"]),
    .systemLibrary(name: "CKithProcess"),
    .target(name: "KithLocalMessages", dependencies: ["KithCore"]),
    .target(
      name: "KithLocalHTTP", dependencies: ["KithCore", "KithCrypto", "KithLocalMessages", flyingSocks]),
    .target(
      name: "KithSandbox", dependencies: ["KithCore", "KithCrypto", "KithLexicons", "KithLocalMessages"]),
    .target(
      name: "KithTestSupport",
      dependencies: [
        "KithClient", "KithCore", "KithHistory", "KithLocalMessages", "KithRelationships", "KithSandbox",
        httpTypes,
      ]),
    .target(
      name: "CKithNoUnicodeData", cSettings: [.define("KITH_NO_UNICODE_DATA", .when(configuration: .release))]
    ),
    .executableTarget(
      name: "kith",
      dependencies: [
        "KithClient", "KithCore", "CKithNoUnicodeData", "CKithProcess", "KithCurlTransport", "KithDashboard",
        "KithHistory",
        "KithInsights", "KithLocalHTTP", "KithOperations", "KithPosts", "KithStore", "KithWording",
        "KithWriting",
        "KithRelationships", "KithSystemResolver", argumentParser, logging,
      ]),
    .executableTarget(
      name: "kith-sandbox",
      dependencies: ["KithCore", "KithLocalHTTP", "KithSandbox", "CKithNoUnicodeData", argumentParser]),
    .target(name: "Programs", dependencies: ["kith", "kith-sandbox"]),
    .executableTarget(name: "lexgen", dependencies: ["KithCore"]),
    .executableTarget(name: "kith-manual"),

    .target(
      name: "TestSupport",
      dependencies: [
        "KithClient", "KithCore", "KithHistory", "KithRelationships", "KithTestSupport", "KithWriting",
        httpTypes,
      ],
      path: "Tests/TestSupport"),
    .target(
      name: "SandboxSupport",
      dependencies: [
        "KithClient", "KithCore", "KithLocalHTTP", "KithLocalMessages", "KithOperations", "KithRelationships",
        "KithSandbox", "KithTestSupport", "KithWriting", "TestSupport", httpTypes,
      ],
      path: "Tests/SandboxSupport"),
    .testTarget(
      name: "KithCoreTests", dependencies: ["KithCore", "TestSupport"],
      exclude: ["Vectors", "Wording/errors.txt"]),
    .testTarget(name: "KithCryptoTests", dependencies: ["KithCore", "KithCrypto", "TestSupport"]),
    .testTarget(name: "KithLexiconsTests", dependencies: ["KithLexicons", "KithCore"]),
    .testTarget(
      name: "lexgenTests", dependencies: ["lexgen", "KithLexicons", "KithCore", "TestSupport"],
      exclude: ["Vectors", "Wording"]),
    .testTarget(
      name: "KithSandboxTests",
      dependencies: [
        "KithClient", "KithCore", "KithLexicons", "KithLocalMessages", "KithSandbox", "KithCurlTransport",
        "SandboxSupport", "TestSupport", httpTypes,
      ]),
    .testTarget(
      name: "KithLocalHTTPTests",
      dependencies: ["KithCore", "KithLocalHTTP", "KithLocalMessages", "TestSupport"],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "KithClientTests",
      dependencies: ["KithClient", "KithCore", "KithLexicons", "TestSupport", httpTypes, logging],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "KithRelationshipsTests",
      dependencies: [
        "KithClient", "KithCore", "KithLexicons", "KithRelationships",
        "TestSupport", httpTypes,
      ],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "KithPostsTests",
      dependencies: ["KithClient", "KithCore", "KithPosts", "KithRelationships", "TestSupport", httpTypes],
      exclude: ["Pictures"]),
    .testTarget(
      name: "KithHistoryTests",
      dependencies: [
        "KithClient", "KithCore", "KithHistory", "KithInsights", "KithLexicons", "KithRelationships",
        "TestSupport",
      ],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "KithWritingTests",
      dependencies: [
        "KithClient", "KithCore", "KithLexicons", "KithPosts", "KithWriting", "KithRelationships",
        "TestSupport", httpTypes,
      ],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "KithOperationsTests",
      dependencies: [
        "KithClient", "KithCore", "KithHistory", "KithInsights", "KithLocalMessages", "KithOperations",
        "KithRelationships", "KithTestSupport", "KithWriting", "SandboxSupport", "TestSupport",
      ]),
    .testTarget(
      name: "KithDashboardTests",
      dependencies: [
        "KithClient", "KithCore", "KithDashboard", "KithInsights", "KithLocalMessages", "KithOperations",
        "KithRelationships", "KithSandbox", "KithTestSupport", "KithWriting", "SandboxSupport", "TestSupport",
        httpTypes,
      ]),
    .testTarget(
      name: "KithWordingTests",
      dependencies: [
        "KithClient", "KithCore", "KithOperations", "KithRelationships", "KithWording", "KithWriting",
      ]),
    .target(
      name: "FuzzEntries",
      dependencies: [
        "KithClient", "KithCore", "KithLexicons", "KithOperations", "KithPosts", "KithRelationships",
        httpTypes,
      ],
      path: "Fuzzing/FuzzEntries"),
    .testTarget(name: "FuzzEntriesTests", dependencies: ["FuzzEntries", "TestSupport"]),
    .testTarget(
      name: "KithInsightsTests",
      dependencies: [
        "KithClient", "KithCore", "KithHistory", "KithInsights", "KithOperations", "KithRelationships",
        "KithWriting", "TestSupport",
      ]),
    .testTarget(
      name: "KithStoreTests",
      dependencies: [
        "KithClient", "KithCore", "KithHistory", "KithWriting", "KithRelationships", "KithStore",
        "TestSupport", grdb, httpTypes,
      ],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "KithCurlTransportTests",
      dependencies: ["KithCurlTransport", "KithClient", "KithCore", "TestSupport", httpTypes],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "KithURLSessionTransportTests",
      dependencies: ["KithURLSessionTransport", "KithClient", "KithCore", "TestSupport", httpTypes],
      exclude: ["Wording/errors.txt"]),
    .testTarget(
      name: "KithSystemResolverTests",
      dependencies: ["KithSystemResolver", "KithClient", "KithCore", "TestSupport"]),
    .testTarget(
      name: "kithTests",
      dependencies: [
        "KithClient", "KithCore", "KithLexicons", "KithSandbox", "KithCurlTransport", "KithDashboard",
        "KithHistory", "KithInsights", "KithLocalHTTP", "KithOperations", "KithPosts", "KithStore",
        "KithWording", "KithWriting",
        "KithRelationships", "SandboxSupport", "TestSupport", "KithURLSessionTransport", "kith",
        "kith-sandbox", argumentParser,
        logging,
      ],
      exclude: ["Completion/complete.exp", "Help", "Sessions/Transcripts", "Wording/errors.txt"]),
    .testTarget(
      name: "kithManualTests", dependencies: ["kith", "kith-manual", "TestSupport", argumentParser]),
    .testTarget(
      name: "SandboxProgramTests",
      dependencies: ["kith-sandbox", "KithCore", "KithSandbox", "TestSupport", argumentParser],
      exclude: ["errors.txt", "help.txt"]),
    // Without package access: what they see is what an app sees.
    .target(name: "OtherSDK", path: "Tests/OtherSDK", packageAccess: false),
    .testTarget(
      name: "AppTests",
      dependencies: [
        "OtherSDK",
        "KithClient", "KithCore", "KithLexicons", "KithCurlTransport", "KithHistory", "KithInsights",
        "KithOperations", "KithStore", "KithSystemResolver", "KithWriting", "KithRelationships",
        "KithURLSessionTransport", "kith", "kith-sandbox",
      ],
      packageAccess: false),
    .testTarget(
      name: "KithTestSupportTests",
      dependencies: ["KithClient", "KithCore", "KithRelationships", "KithTestSupport", httpTypes],
      packageAccess: false),
    // The targets of Examples/Package.swift.
    .target(
      name: "ExampleViews", dependencies: ["KithClient", "KithCore", "KithRelationships", "KithWriting"],
      path: "Examples/Sources/ExampleViews", packageAccess: false,
      swiftSettings: [
        .defaultIsolation(MainActor.self), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ]),
    .target(
      name: "ExampleTools",
      dependencies: ["KithClient", "KithCore", "KithRelationships", "KithWriting", httpTypes],
      path: "Examples/Sources/ExampleTools", packageAccess: false),
    .testTarget(
      name: "ExampleTests",
      dependencies: [
        "ExampleTools", "ExampleViews", "KithClient", "KithCore", "KithRelationships", "KithTestSupport",
        "KithWriting", httpTypes,
      ],
      path: "Examples/Tests/ExampleTests", packageAccess: false),
    .testTarget(
      name: "NetworkTests",
      dependencies: [
        "KithClient", "KithCore", "KithLexicons", "KithCurlTransport", "KithPosts", "KithWriting",
        "KithHistory", "KithRelationships", "KithSandbox", "SandboxSupport", "TestSupport",
        "KithURLSessionTransport", "kith", httpTypes,
      ],
      path: "Tests/Network", exclude: ["harness"]),
  ]
)

// Only `make bench` and `make fuzz` build these; `make type-check` checks that they compile.
if Context.environment["KITH_BENCHMARKS"] == "1" {
  package.targets += [
    .executableTarget(
      name: "DecodeBench", dependencies: ["KithCore", "KithLexicons"], path: "Benchmarks/DecodeBench"),
    .executableTarget(
      name: "HistoryBench",
      dependencies: ["KithClient", "KithCore", "KithHistory", "KithStore", "KithRelationships"],
      path: "Benchmarks/HistoryBench"),
    .executableTarget(
      name: "InsightsBench", dependencies: ["KithCore", "KithInsights"],
      path: "Benchmarks/InsightsBench"),
    .executableTarget(
      name: "LiveBench",
      dependencies: [
        "KithClient", "KithCore", "KithCurlTransport", "KithHistory", "KithLocalHTTP", "KithRelationships",
        "KithSandbox", "KithStore",
      ],
      path: "Benchmarks/LiveBench"),
    .executableTarget(
      name: "PeopleBench", dependencies: ["KithCore", "KithPosts", "KithRelationships"],
      path: "Benchmarks/PeopleBench"),
    .executableTarget(
      name: "ServiceBench",
      dependencies: ["KithClient", "KithCore", "KithCurlTransport", "KithRelationships"],
      path: "Benchmarks/ServiceBench"),
    .executableTarget(
      name: "TransportBench", dependencies: ["KithClient", "KithCurlTransport", httpTypes],
      path: "Benchmarks/TransportBench"),
  ]
}
if Context.environment["KITH_FUZZERS"] == "1" {
  package.targets += [
    .systemLibrary(name: "CLibFuzzer", path: "Fuzzing/CLibFuzzer"),
    .target(name: "FuzzDriver", dependencies: ["CLibFuzzer"], path: "Fuzzing/FuzzDriver"),
  ]
  package.targets += ["FuzzIdentifiers", "FuzzJSON", "FuzzAnswers", "FuzzInput", "FuzzStreams"].map { name in
    .executableTarget(name: name, dependencies: ["FuzzDriver", "FuzzEntries"], path: "Fuzzing/\(name)")
  }
}

for target in package.targets where target.type != .system {
  // Examples have the settings of a new app.
  let isExample = target.path?.hasPrefix("Examples/") == true
  target.swiftSettings = (target.swiftSettings ?? []) + (isExample ? [.treatAllWarnings(as: .error)] : strict)
}
