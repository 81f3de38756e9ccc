// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What the tests of an app compile with the product: neither a server nor a database.
@Suite struct ProductTests {
  @Test func isBuiltWithoutServersAndDatabases() throws {
    let needed = try Self.needs(of: "KithTestSupport")
    #expect(needed.contains("KithSandbox") && needed.contains("KithCore"))
    #expect(needed.isDisjoint(with: ["flyingSocks", "grdb", "argumentParser", "KithLocalHTTP", "KithStore"]))
    #expect(needed.filter { $0.hasPrefix("C") } == ["CKithCrypto"])
  }

  /// What an app shows and changes needs no C library but the one for digests, which is Linux's alone.
  @Test(arguments: ["ExampleViews", "ExampleTools"]) func examplesNeedNoLibraryOfOneSystem(
    target: String
  ) throws {
    let needed = try Self.needs(of: target)
    #expect(needed.contains("KithWriting"))
    #expect(needed.isDisjoint(with: ["flyingSocks", "grdb", "argumentParser", "KithCurlTransport"]))
    #expect(needed.filter { $0.hasPrefix("C") } == ["CKithCrypto"])
  }

  /// All that a target depends on, directly or not.
  private static func needs(of target: String) throws -> Set<String> {
    let targets = try targets()
    try #require(targets["KithLocalHTTP"]?.contains("flyingSocks") == true)
    try #require(targets["KithStore"]?.contains("grdb") == true)
    var needed: Set<String> = []
    var open = [target]
    while let target = open.popLast() {
      guard needed.insert(target).inserted else { continue }
      open += targets[target] ?? []
    }
    return needed
  }

  /// What each target of the package depends on, as its manifest says.
  private static func targets() throws -> [String: [String]] {
    let manifest = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Package.swift")
    let text = try String(contentsOf: manifest.standardizedFileURL, encoding: .utf8)
    var targets: [String: [String]] = [:]
    for match in text.matches(of: /arget\(\s*name: "(\w+)",\s*dependencies: \[([^\]]*)/) {
      targets[String(match.1)] = match.2.matches(of: /\w+/).map { String($0.0) }
    }
    return targets
  }
}
