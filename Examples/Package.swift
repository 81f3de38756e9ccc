// swift-tools-version: 6.2
import PackageDescription

// The examples as an app has them. An app names the repository in place of the path:
//   .package(url: "<the repository>", .upToNextMinor(from: "0.3.0"))
// because before 1.0 a minor version may change public names.
func kith(_ products: String...) -> [Target.Dependency] {
  products.map { .product(name: $0, package: "kith") }
}

let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")

let package = Package(
  name: "kith-examples",
  platforms: [.macOS(.v15), .iOS(.v18)],
  dependencies: [
    .package(name: "kith", path: ".."),
    // For a transport or a session of one's own.
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    // The settings of a new Xcode project.
    .target(
      name: "ExampleViews", dependencies: kith("KithClient", "KithCore", "KithRelationships", "KithWriting"),
      swiftSettings: [
        .defaultIsolation(MainActor.self), .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
      ]),
    .target(
      name: "ExampleTools",
      dependencies: kith("KithClient", "KithCore", "KithRelationships", "KithWriting") + [httpTypes]),
    .testTarget(
      name: "ExampleTests",
      dependencies: ["ExampleTools", "ExampleViews", httpTypes]
        + kith("KithClient", "KithCore", "KithRelationships", "KithTestSupport", "KithWriting")),
  ]
)
