// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import KithClient
@testable import KithCore

@Suite final class SessionFolderTests {
  private let root = FileManager.default.temporaryDirectory.appending(
    path: "kith-sessions-\(UUID().uuidString)")
  private var path: String { root.appending(path: "state/kith/sessions").path() }
  private var store: SessionFolder { SessionFolder(path: path) }

  deinit { try? FileManager.default.removeItem(at: root) }

  private func session(_ number: Int = 1, token: String = "access") throws -> Session {
    Session(
      did: Accounts.did(number), handle: Accounts.handle(number),
      pds: try ServiceURL(parsing: "https://pds.test"), pdsIsUserSpecified: true,
      accessToken: try #require(SessionToken(token)), refreshToken: try #require(SessionToken("refresh")),
      receivedAt: 1_760_000_000_000_000, isActive: false, status: "deactivated")
  }

  private func file(_ number: Int = 1) -> String { "\(path)/\(Accounts.did(number)).json" }

  private func mode(_ path: String) throws -> Int {
    try #require(FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  private func fault<Value>(_ body: () throws -> Value) -> SessionError? {
    do {
      _ = try body()
      return nil
    } catch { return error as? SessionError }
  }

  @Test func isEmptyWithoutAFolder() throws {
    #expect(try store.accounts().isEmpty)
    #expect(try store.session(of: Accounts.did(1)) == nil)
    #expect(try store.current() == nil)
    #expect(!FileManager.default.fileExists(atPath: path))
  }

  @Test func givesBackWhatItKeeps() async throws {
    try store.save(try session(2))
    try store.save(try session(1))
    try store.save(try session(1, token: "newer"))
    try await store.setCurrent(Accounts.did(2))
    #expect(try store.accounts() == [Accounts.did(1), Accounts.did(2)])
    #expect(try store.session(of: Accounts.did(1)) == session(1, token: "newer"))
    #expect(try store.current() == Accounts.did(2))
    try store.remove(Accounts.did(2))
    try await store.clearCurrent(ifIs: Accounts.did(1))
    #expect(try store.current() == Accounts.did(2), "another account was chosen")
    try await store.clearCurrent(ifIs: Accounts.did(2))
    #expect(try store.accounts() == [Accounts.did(1)])
    #expect(try store.current() == nil)
  }

  @Test func letsNoOtherUserIn() throws {
    let mask = umask(0)
    defer { umask(mask) }
    try store.save(try session())
    #expect(try mode(path) == 0o700)
    #expect(try mode(root.appending(path: "state/kith").path()) == 0o700)
    #expect(try mode(file()) == 0o600)
  }

  @Test(arguments: [0o640, 0o604, 0o620, 0o602]) func refusesAFileThatOthersCanUse(mode: Int) throws {
    try store.save(try session(1, token: "sesame"))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file())
    let error = try #require(fault { try self.store.session(of: Accounts.did(1)) })
    #expect(error.code == .unsafeFile)
    let file = try #require(error.underlying as? SecureFolderError)
    #expect(file.path == self.file())
    #expect(file.reason == .accessibleToOthers(mode: UInt32(mode), wanted: 0o600))
    #expect(!error.description.contains("sesame"))
  }

  @Test(arguments: [0o750, 0o705, 0o777]) func refusesAFolderThatOthersCanUse(mode: Int) throws {
    try store.save(try session())
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    for error in [
      fault { try self.store.session(of: Accounts.did(1)) },
      fault { try self.store.save(try self.session()) },
      fault { try self.store.accounts() },
    ] {
      #expect(error?.code == .unsafeFile)
      #expect(error?.subject == path)
    }
  }

  @Test func refusesSymbolicLinks() throws {
    try store.save(try session())
    let elsewhere = root.appending(path: "elsewhere").path()
    try FileManager.default.moveItem(atPath: file(), toPath: elsewhere)
    try FileManager.default.createSymbolicLink(atPath: file(), withDestinationPath: elsewhere)
    #expect(fault { try self.store.session(of: Accounts.did(1)) }?.code == .unsafeFile)
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: root.path())
    #expect(fault { try self.store.accounts() }?.code == .unsafeFile)
  }

  @Test func doesNotWaitAtAPipe() throws {
    try store.save(try session())
    try FileManager.default.removeItem(atPath: file())
    #expect(mkfifo(file(), 0o600) == 0)
    #expect(fault { try self.store.session(of: Accounts.did(1)) }?.code == .unsafeFile)
  }

  @Test(
    arguments: [
      "", "{", "[]", "{}", #"{"version":2}"#, #"{"version":1}"#, "\u{0}",
      String(repeating: " ", count: 70_000),
    ])
  func namesTheFileThatIsDamaged(text: String) throws {
    try store.save(try session())
    try Data(text.utf8).write(to: URL(filePath: file()))
    let error = try #require(fault { try self.store.session(of: Accounts.did(1)) })
    #expect(error.code == .malformedFile)
    #expect(error.subject == file())
  }

  private func change(_ text: String, to replacement: String) throws {
    let old = try String(contentsOfFile: file(), encoding: .utf8)
    let new = old.replacing(text, with: replacement, maxReplacements: 1)
    try #require(new != old)
    try Data(new.utf8).write(to: URL(filePath: file()))
  }

  @Test func refusesAFileOfANewerVersion() throws {
    try store.save(try session())
    try change(#""version":2"#, to: #""version":3"#)
    let error = try #require(fault { try self.store.session(of: Accounts.did(1)) })
    #expect(error.code == .newerFile)
    #expect(error.subject == file())
  }

  @Test func keepsFieldsThatANewerProgramAdded() throws {
    try store.save(try session())
    try change("{", to: #"{"aFuture":"bright","#)
    var session = try #require(try store.session(of: Accounts.did(1)))
    session.status = nil
    try store.save(session)
    #expect(try String(contentsOfFile: file(), encoding: .utf8).contains(#""aFuture":"bright""#))
    #expect(try store.session(of: Accounts.did(1)) == session)
  }

  @Test func readsNoFileOfAnotherAccount() throws {
    try store.save(try session(1))
    try FileManager.default.moveItem(atPath: file(1), toPath: file(2))
    #expect(fault { try self.store.session(of: Accounts.did(2)) }?.code == .malformedFile)
  }

  @Test func quotesNoTokenOfADamagedFile() throws {
    try store.save(try session(1, token: "sesame"))
    let text = try String(contentsOfFile: file(), encoding: .utf8)
    for end in stride(from: 0, to: text.count, by: 3) {
      try Data(text.prefix(end).utf8).write(to: URL(filePath: file()))
      let error = try #require(fault { try self.store.session(of: Accounts.did(1)) })
      var words = "\(error)"
      dump(error, to: &words)
      #expect(!words.contains("sesame"))
    }
  }

  @Test(arguments: [0, 1, 40]) func keepsTheOldFileWhenTheDiskIsFull(room: Int) throws {
    try store.save(try session())
    let full = SessionFolder(
      SecureFolder(path: path) { descriptor, bytes in
        guard room > 0, lseek(descriptor, 0, SEEK_CUR) == 0 else {
          errno = ENOSPC
          return -1
        }
        return write(descriptor, bytes.baseAddress, room)
      })
    let error = try #require(fault { try full.save(try self.session(1, token: "newer")) })
    #expect(error.code == .fileTrouble)
    #expect(try store.session(of: Accounts.did(1)) == session())
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).count == 1, "nothing torn is left")
  }

  @Test func removesWhatTornWritesHaveLeft() throws {
    try store.save(try session())
    try Data("torn".utf8).write(to: URL(filePath: "\(path)/.\(Accounts.did(1)).json.7.7"))
    try store.remove(Accounts.did(1))
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
  }

  /// A sign-out used to remove the file that another process was about to rename.
  @Test func aSignOutLeavesAloneWhatASignInWrites() async throws {
    try await store.setCurrent(Accounts.did(1))
    let file = "\(path)/.current.7.7"
    try Data("\(Accounts.did(2))".utf8).write(to: URL(filePath: file))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    let writing = try #require(try SecureFolder(path: path).lock("current.lock"))
    let clock = ManualClock(.skipping)
    let impatient = SessionFolder(path: path, patience: .seconds(1), time: clock.timeSource())
    let error = await #expect(throws: SessionError.self) {
      try await impatient.clearCurrent(ifIs: Accounts.did(1))
    }
    #expect(error?.code == .locked)
    #expect(FileManager.default.fileExists(atPath: file))
    writing.release()
    try await impatient.clearCurrent(ifIs: Accounts.did(1))
    #expect(try store.current() == nil)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func choosingAnAccountWaitsForItsTurn() async throws {
    let writing = try #require(try SecureFolder(path: path).lock("current.lock"))
    let clock = ManualClock(.skipping)
    let impatient = SessionFolder(path: path, patience: .seconds(1), time: clock.timeSource())
    await #expect(throws: SessionError.self) { try await impatient.setCurrent(Accounts.did(1)) }
    #expect(try store.current() == nil)
    writing.release()
    try await impatient.setCurrent(Accounts.did(1))
    #expect(try store.current() == Accounts.did(1))
  }

  @Test func letsOneInAtATime() async throws {
    let (store, did, turnstile) = (store, Accounts.did(1), Turnstile())
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try await store.withExclusiveAccess(to: did) { try await turnstile.pass { await Task.yield() } }
        }
      }
      try await group.waitForAll()
    }
    #expect(turnstile.arrivals == 8)
    #expect(turnstile.peak == 1)
  }

  @Test func reportsALockThatAnotherProcessHoldsTooLong() async throws {
    let clock = ManualClock(.skipping)
    let patient = SessionFolder(path: path, patience: .seconds(2), time: clock.timeSource())
    let did = Accounts.did(1)
    let error = try await store.withExclusiveAccess(to: did) { () async throws -> SessionError? in
      do {
        try await patient.withExclusiveAccess(to: did) {}
        return nil
      } catch let error as SessionError { return error }
    }
    #expect(error?.code == .locked)
    try await patient.withExclusiveAccess(to: did) {}
  }

  @Test func aLockHoldsAlthoughASignOutRemovesIt() async throws {
    let did = Accounts.did(1)
    try store.save(try session())
    try await store.withExclusiveAccess(to: did) { [store] in try store.remove(did) }
    try await store.withExclusiveAccess(to: did) { [store, session = try session()] in try store.save(session)
    }
    #expect(try store.session(of: did) == session())
  }
}
