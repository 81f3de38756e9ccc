// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import kith

/// A dry run plans very many changes in portions.
@Suite struct DryRunTests {
  @Test func countsAnAccountThatIsNamedInTwoPortionsOnce() async throws {
    let user = try InProcessUser()
    let bob = try user.did("bob")
    let names = ["\(bob)"] + Accounts.dids(0..<10_000).map { "\($0)" } + ["bob.test"]
    let file = user.home.appending(path: "names")
    try Data(names.joined(separator: "\n").utf8).write(to: file)
    _ = try await user.kith(["login", "alice.test"])

    let ending = try await user.kith(
      ["unfollow", "--from", file.path(), "--dry-run", "--format", "ndjson", "--fields", "subject,state"])
    #expect(ending.status == .success)
    #expect(ending.rows.count == names.count)
    let planned = ending.rows.filter { $0["state"] == "\"planned\"" }
    #expect(planned == [ending.rows[0]])
    #expect(ending.rows.last == ["subject": "\"\(bob)\"", "state": "\"unchanged\""])
  }
}
