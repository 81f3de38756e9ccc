// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// What the tests of an app compile with the product: neither a server nor a database.
@Suite struct ProductTests {
  @Test func isBuiltWithoutServersAndDatabases() throws {
    let targets = try Self.targets()
    try #require(targets["KithLocalHTTP"]?.contains("flyingSocks") == true)
    try #require(targets["KithStore"]?.contains("grdb") == true)
    var needed: Set<String> = []
    var open = ["KithTestSupport"]
    while let target = open.popLast() {
      guard needed.insert(target).inserted else { continue }
      open += targets[target] ?? []
    }
    #expect(needed.contains("KithSandbox") && needed.contains("KithCore"))
    #expect(needed.isDisjoint(with: ["flyingSocks", "grdb", "argumentParser", "KithLocalHTTP", "KithStore"]))
    #expect(needed.filter { $0.hasPrefix("C") } == ["CKithCrypto"])
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
