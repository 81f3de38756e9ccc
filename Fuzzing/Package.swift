// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

let core: Target.Dependency = .product(name: "ATProtoCore", package: "kith")
let lexicons: Target.Dependency = .product(name: "ATProtoLexicons", package: "kith")
let client: Target.Dependency = .product(name: "ATProtoClient", package: "kith")
let httpTypes: Target.Dependency = .product(name: "HTTPTypes", package: "swift-http-types")
let relationships: Target.Dependency = .product(name: "Relationships", package: "kith")

/// Fuzzers see what the targets of Kith keep within their package, whose name is that of its folder.
let kith = Context.packageDirectory.split(separator: "/").dropLast().last.map { folder in
  String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
}

/// Built by `make fuzz`, which has the sanitizers instrument the packages it depends on too.
let package = Package(
  name: "kith-fuzzing",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "kith", path: ".."),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.8.0"),
  ],
  targets: [
    .systemLibrary(name: "CLibFuzzer"),
    .target(name: "FuzzDriver", dependencies: ["CLibFuzzer"]),
    .executableTarget(name: "FuzzIdentifiers", dependencies: ["FuzzDriver", core]),
    .executableTarget(name: "FuzzJSON", dependencies: ["FuzzDriver", core, lexicons]),
    .executableTarget(
      name: "FuzzAnswers", dependencies: ["FuzzDriver", core, lexicons, client, httpTypes, relationships]),
    .executableTarget(name: "FuzzInput", dependencies: ["FuzzDriver", core, relationships]),
  ]
)

for target in package.targets where target.type != .system {
  target.swiftSettings = strict + [.unsafeFlags(["-package-name", kith ?? "kith"])]
}
