// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Foundation
import TestSupport
import Testing

@testable import ATProtoClient

@Suite struct KnownAccountsTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "kith-known-\(UUID().uuidString)")
  private var known: KnownAccounts { KnownAccounts(path: folder.path()) }
  private let alice = ATIdentifier.handle(Accounts.handle(1))

  private func session(_ number: Int = 1, at pds: String = "https://pds.test") throws -> Session {
    let token = try #require(SessionToken("a.b.c"))
    return Session(
      did: Accounts.did(number), handle: Accounts.handle(1), pds: try ServiceURL(parsing: pds),
      pdsIsNamed: false, accessToken: token, refreshToken: token, receivedAt: 0)
  }

  private func place(_ number: Int = 1, at pds: String = "https://pds.test") throws -> SignInPlace {
    SignInPlace(
      account: alice, did: Accounts.did(number), pds: try ServiceURL(parsing: pds), isNamed: false,
      verifiedBy: [.dns])
  }

  @Test func remembersWhereAnAccountSignedIn() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(try known.contradiction(of: place()) == nil)
    try known.remember(alice, session())
    let entry = try #require(try known.entry(of: alice))
    #expect(entry.did == Accounts.did(1) && entry.pds.description == "https://pds.test")
    #expect(try known.entry(of: .handle(Accounts.handle(2))) == nil)
    #expect(try known.contradiction(of: place()) == nil)
    let file = folder.appending(path: "accounts.json").path()
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
  }

  @Test func detectsAnotherAccountAndAnotherServer() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try known.remember(alice, session())
    #expect(try known.contradiction(of: place(2))?.did == Accounts.did(1))
    #expect(
      try known.contradiction(of: place(at: "https://evil.test"))?.pds.description == "https://pds.test")
    try known.remember(alice, session(at: "https://new.test"))
    #expect(try known.contradiction(of: place(at: "https://new.test")) == nil)
  }

  @Test func refusesAFileThatIsDamaged() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try known.remember(alice, session())
    try Data("{".utf8).write(to: folder.appending(path: "accounts.json"))
    let error = #expect(throws: SessionError.self) { try known.contradiction(of: place()) }
    #expect(error?.code == .malformedFile)
  }
}
