// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import TestSupport
import Testing

@testable import KithClient

@Suite struct KnownAccountsTests {
  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "kith-known-\(UUID().uuidString)")
  private var known: KnownAccounts { KnownAccounts(path: folder.path()) }
  private let alice = ATIdentifier.handle(Accounts.handle(1))

  private func session(_ number: Int = 1, at pds: String = "https://pds.test") throws -> Session {
    let token = try #require(SessionToken("a.b.c"))
    return Session(
      did: Accounts.did(number), handle: Accounts.handle(1), pds: try ServiceURL(parsing: pds),
      pdsIsUserSpecified: false, accessToken: token, refreshToken: token, receivedAt: 0)
  }

  private func place(
    _ number: Int = 1, named name: ATIdentifier? = nil, at pds: String = "https://pds.test"
  ) throws -> SignInTarget {
    SignInTarget(
      account: name ?? alice, did: Accounts.did(number), pds: try ServiceURL(parsing: pds), isNamed: false,
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

  /// The name that is typed does not matter: the server of the account has changed.
  @Test func detectsAnotherServerUnderAnyName() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try known.remember(alice, session())
    for name in [ATIdentifier.did(Accounts.did(1)), .handle(Accounts.handle(7))] {
      #expect(try known.contradiction(of: place(named: name)) == nil)
      let before = try known.contradiction(of: place(named: name, at: "https://evil.test"))
      #expect(before?.pds.description == "https://pds.test")
    }
    // After a move, all its names lead to the new server.
    try known.remember(.did(Accounts.did(1)), session(at: "https://new.test"))
    for name in [alice, .did(Accounts.did(1))] {
      #expect(try known.contradiction(of: place(named: name, at: "https://new.test")) == nil)
      #expect(try known.contradiction(of: place(named: name)) != nil)
    }
  }

  @Test func comparesWithTheStoredSession() throws {
    let stored = try session()
    #expect(try known.contradiction(of: place(), beside: stored) == nil)
    #expect(try known.contradiction(of: place(at: "https://evil.test"), beside: stored)?.pds == stored.pds)
    #expect(try known.contradiction(of: place(2), beside: stored) == nil)
  }

  @Test func keepsTheEntriesOfSignInsAtTheSameTime() async throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 1..<9 {
        group.addTask { try known.remember(.handle(Accounts.handle(number)), session(number)) }
      }
      try await group.waitForAll()
    }
    for number in 1..<9 {
      #expect(try known.entry(of: .handle(Accounts.handle(number)))?.did == Accounts.did(number))
    }
  }

  @Test(arguments: [
    (#"{"version":1,"accounts":{"alice.test":{"did":"x","pds":"y"}}}"#, SessionError.Code.malformedFile),
    (#"{"version":99,"accounts":{}}"#, .newerFile), (#"{"accounts":{}}"#, .newerFile),
  ])
  func refusesEntriesThatItCannotRead(text: String, code: SessionError.Code) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try known.remember(alice, session())
    try Data(text.utf8).write(to: folder.appending(path: "accounts.json"))
    #expect(throws: SessionError.self) { try known.contradiction(of: place()) }
    let error = #expect(throws: SessionError.self) { try known.remember(alice, session()) }
    #expect(error?.code == code)
  }

  @Test func refusesAFileThatIsDamaged() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try known.remember(alice, session())
    try Data("{".utf8).write(to: folder.appending(path: "accounts.json"))
    let error = #expect(throws: SessionError.self) { try known.contradiction(of: place()) }
    #expect(error?.code == .malformedFile)
  }
}
