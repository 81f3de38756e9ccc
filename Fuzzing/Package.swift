// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let deque: Target.Dependency = .product(name: "DequeModule", package: "swift-collections")
let heap: Target.Dependency = .product(name: "HeapModule", package: "swift-collections")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")

/// Built by `make fuzz`, which has the sanitizers instrument all of it. The targets of Kith are part of this package,
/// through a link to their folder, so that fuzzers see what Kith keeps within its own.
let package = Package(
  name: "kith-fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
  ],
  targets: [
    .target(name: "KithCore", path: "Kith/KithCore"),
    .target(name: "KithLexicons", dependencies: ["KithCore"], path: "Kith/KithLexicons"),
    .target(
      name: "KithClient", dependencies: ["KithCore", "KithLexicons", deque, httpTypes, logging],
      path: "Kith/KithClient"),
    .systemLibrary(name: "CKithCrypto", path: "Kith/CKithCrypto", pkgConfig: "libcrypto"),
    .target(name: "KithCrypto", dependencies: ["KithCore", "CKithCrypto"], path: "Kith/KithCrypto"),
    .target(
      name: "KithRelationships",
      dependencies: ["KithClient", "KithCore", "KithCrypto", "KithLexicons", deque],
      path: "Kith/KithRelationships"),
    .target(
      name: "KithHistory", dependencies: ["KithClient", "KithCore", "KithLexicons", "KithRelationships"],
      path: "Kith/KithHistory"),
    .target(
      name: "KithWriting",
      dependencies: [
        "KithClient", "KithCore", "KithCrypto", "KithLexicons", "KithPosts", "KithRelationships",
      ], path: "Kith/KithWriting"),
    .target(
      name: "KithPosts",
      dependencies: ["KithClient", "KithCore", "KithCrypto", "KithLexicons", "KithRelationships", heap],
      path: "Kith/KithPosts"),
    .target(name: "KithInsights", dependencies: ["KithCore"], path: "Kith/KithInsights"),
    .target(
      name: "KithOperations",
      dependencies: [
        "KithClient", "KithCore", "KithHistory", "KithInsights", "KithPosts", "KithRelationships",
        "KithWriting", logging,
      ], path: "Kith/KithOperations"),
    .systemLibrary(name: "CLibFuzzer"),
    .target(name: "FuzzDriver", dependencies: ["CLibFuzzer"]),
    .executableTarget(name: "FuzzIdentifiers", dependencies: ["KithCore", "FuzzDriver"]),
    .executableTarget(name: "FuzzJSON", dependencies: ["KithCore", "KithLexicons", "FuzzDriver"]),
    .executableTarget(
      name: "FuzzAnswers",
      dependencies: [
        "KithClient", "KithCore", "KithLexicons", "FuzzDriver", "KithPosts", "KithRelationships", httpTypes,
      ]),
    .executableTarget(
      name: "FuzzInput", dependencies: ["KithCore", "FuzzDriver", "KithOperations", "KithRelationships"]),
  ]
)

for target in package.targets where target.type != .system { target.swiftSettings = strict }
