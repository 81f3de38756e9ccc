// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let package = Package(
  name: "kith-benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "decode-bench", targets: ["DecodeBench"]),
    .executable(name: "history-bench", targets: ["HistoryBench"]),
    .executable(name: "insights-bench", targets: ["InsightsBench"]),
    .executable(name: "service-bench", targets: ["ServiceBench"]),
    .executable(name: "transport-bench", targets: ["TransportBench"]),
  ],
  dependencies: [
    .package(name: "kith", path: ".."),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .executableTarget(
      name: "DecodeBench",
      dependencies: [
        .product(name: "ATProtoCore", package: "kith"), .product(name: "ATProtoLexicons", package: "kith"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "HistoryBench",
      dependencies: [
        .product(name: "ATProtoCore", package: "kith"),
        .product(name: "RelationshipStore", package: "kith"),
        .product(name: "Relationships", package: "kith"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "InsightsBench",
      dependencies: [
        .product(name: "ATProtoCore", package: "kith"),
        .product(name: "RelationshipInsights", package: "kith"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "ServiceBench",
      dependencies: [
        .product(name: "ATProtoClient", package: "kith"), .product(name: "ATProtoCore", package: "kith"),
        .product(name: "CurlTransport", package: "kith"), .product(name: "Relationships", package: "kith"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "TransportBench",
      dependencies: [
        .product(name: "ATProtoClient", package: "kith"), .product(name: "CurlTransport", package: "kith"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: strict),
  ]
)
