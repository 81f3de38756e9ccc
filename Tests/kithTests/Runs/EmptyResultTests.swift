// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithSandbox
@testable import SandboxSupport
@testable import kith

/// What commands say that have nothing to list: a zero only where it is true, and then a next step.
@Suite struct EmptyResultTests {
  private func user(_ name: String = "alice") async throws -> InProcessUser {
    let user = try InProcessUser()
    let ending = try await user.kith(["login", "\(name).test"], password: "pw-\(name)")
    #expect(ending.status == .success, "\(ending.talk)")
    return user
  }

  @Test(arguments: ["notifications", "feed", "people search bob", "people suggested", "thread URI"])
  func aFailedCallIsNotAZero(line: String) async throws {
    let user = try await user()
    let post = "\(try user.network.post(of: "bob"))"
    user.network.begin(.appViewDown)
    let words = line.split(separator: " ").map { $0 == "URI" ? post : "\($0)" }
    let ending = try await user.kith(words)
    #expect(ending.status == .unavailable, "\(ending.talk)")
    // The error alone.
    #expect(ending.talk.split(separator: "\n").count == 1, "\(ending.talk)")
  }

  @Test(arguments: [
    ("friends sent", "request"), ("feed --friends", "request"), ("friends --by consent", "request"),
    ("people search zzzzzz", "found"),
  ])
  func anEmptyResultSaysANextStep(line: String, word: String) async throws {
    let user = try await user("heidi")
    let ending = try await user.kith(line.split(separator: " ").map(String.init))
    #expect(ending.status == .success && ending.rows.isEmpty, "\(ending.talk)")
    #expect(ending.talk.contains(word), "\(ending.talk)")
  }
}
