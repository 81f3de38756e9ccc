// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "kith-benchmarks",
  platforms: [.macOS(.v15)],
  products: [.executable(name: "transport-bench", targets: ["TransportBench"])],
  dependencies: [
    .package(name: "kith", path: ".."),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .executableTarget(
      name: "TransportBench",
      dependencies: [
        .product(name: "ATProtoClient", package: "kith"), .product(name: "CurlTransport", package: "kith"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
      ],
      swiftSettings: [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .treatAllWarnings(as: .error),
      ])
  ]
)
