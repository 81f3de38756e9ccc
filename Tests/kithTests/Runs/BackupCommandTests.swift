// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithStore
import KithWriting
import TestSupport
import Testing

@testable import SandboxSupport
@testable import kith

/// Backups in folders where other users may have put something, and what a restored journal may do.
@Suite struct BackupCommandTests {
  private let user: InProcessUser

  init() throws { user = try InProcessUser() }

  @discardableResult
  private func kith(
    _ words: String..., expecting status: Int32 = 0
  ) async throws -> InProcessUser.Ending {
    let ending = try await user.kith(words)
    #expect(ending.status.rawValue == status, "\(words.joined(separator: " ")): \(ending.talk)")
    return ending
  }

  private func path(_ name: String) -> String { user.home.appending(path: name).path() }

  private func makeFolder(_ name: String, mode: Int = 0o700) throws -> String {
    try FileManager.default.createDirectory(atPath: path(name), withIntermediateDirectories: true)
    try setMode(mode, path(name))
    return path(name)
  }

  private func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func names(in folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
  }

  private func jobs() async throws -> Int {
    try await SQLiteJobStore(StoreDatabase(folder: path("data/kith"))).summaries(of: nil).count
  }

  // MARK: Backups

  @Test func whatIsBehindALinkOrFromTheFutureIsNotRemoved() async throws {
    try await kith("login", "alice.test")
    try await kith("follow", "niaj.test")
    let copies = try makeFolder("copies")
    try FileManager.default.createSymbolicLink(
      atPath: "\(copies)/kith-20000101T000000Z", withDestinationPath: path("data/kith"))
    let future = ["kith-20970101T000000Z", "kith-20980101T000000Z"]
    for name in future {
      try Data().write(to: URL(filePath: "\(try makeFolder("copies/\(name)"))/kith.sqlite"))
    }
    var made: [String] = []
    for _ in 1...3 {
      try await kith("db", "backup", copies, "--keep", "2")
      made = try names(in: copies).filter { $0 > "kith-2001" && !future.contains($0) }
      try await user.network.clock.sleep(for: .seconds(86_400))
    }
    #expect(made.count == 2)
    #expect(try names(in: copies) == ["kith-20000101T000000Z"] + made + future)
    #expect(try await jobs() == 1)
    // The newest of the past is restored, although names from the future come later.
    let restored = try await kith("db", "restore", copies, "--yes")
    #expect(restored.talk.contains("\(copies)/\(made[1])"))
    // For the check, all of them belong to another user.
    let foreign = try BackupSeries(folder: copies, owners: [geteuid() + 1])
    let now = try #require(Datetime("2096-01-01T00:00:00Z"))
    #expect(foreign.removeAll(but: 1, made: "", at: now) == 0)
    #expect(throws: StoreError.self) {
      try BackupSeries.newest(in: copies, owners: [geteuid() + 1], at: now)
    }
  }

  @Test func backupsAreNotRotatedWhereOthersCanWrite() async throws {
    try await kith("login", "alice.test")
    try await kith("follow", "niaj.test")
    for mode in [0o777, 0o1777] {
      let shared = try makeFolder("shared-\(mode)", mode: mode)
      let refused = try await kith("db", "backup", shared, "--keep", "1", expecting: 74)
      #expect(refused.talk.contains("file.parentWritableByOthers") && refused.talk.contains("chmod"))
      #expect(try names(in: shared).isEmpty)
      // A copy alone is written through its own descriptor.
      try await kith("db", "backup", shared)
      let mode = try FileManager.default.attributesOfItem(atPath: "\(shared)/kith.sqlite")[.posixPermissions]
      #expect(mode as? Int == 0o600)
    }
  }

  // MARK: Restoring

  @Test func aCopyThatOthersCouldHaveMadeIsNotRestored() async throws {
    try await kith("login", "alice.test")
    try await kith("follow", "niaj.test")
    let above = try makeFolder("above")
    let copies = "\(above)/copies"
    try await kith("db", "backup", copies)
    try await kith("mute", "carol.test")
    let copy = "\(copies)/kith.sqlite"
    func refused(_ cause: String) async throws {
      let ending = try await kith("db", "restore", copies, "--yes", expecting: 74)
      #expect(ending.talk.contains("file.\(cause)"), "\(ending.talk)")
      #expect(try await jobs() == 2)
    }
    for mode in [0o777, 0o1777] {
      try setMode(mode, copies)
      try await refused("parentWritableByOthers")
    }
    try setMode(0o755, copies)
    try setMode(0o777, above)
    try await refused("parentWritableByOthers")
    try setMode(0o700, above)
    try setMode(0o666, copy)
    try await refused("writableByOthers")
    try setMode(0o644, copy)
    let series = try BackupSeries(folder: copies, owners: [geteuid() + 1])
    let error = #expect(throws: StoreError.self) { try BackupSeries.copy(of: .journal, in: series.folder) }
    #expect(error?.code == .unsafe)
    try FileManager.default.moveItem(atPath: copy, toPath: path("elsewhere"))
    try FileManager.default.createSymbolicLink(atPath: copy, withDestinationPath: path("elsewhere"))
    try await refused("symbolicLink")
    try FileManager.default.removeItem(atPath: copy)
    #expect(mkfifo(copy, 0o600) == 0)
    try await refused("notAFile")
    try FileManager.default.removeItem(atPath: copy)
    try FileManager.default.moveItem(atPath: path("elsewhere"), toPath: copy)
    try await kith("db", "restore", copies, "--yes")
    #expect(try await jobs() == 1)
  }

  /// What every released version wrote can be restored.
  @Test(arguments: StoredFixture.all) func backupsOfFormerVersionsAreRestored(
    fixture: StoredFixture
  ) async throws {
    let copies = try makeFolder("copies")
    for name in try names(in: fixture.folder.path()) where name.hasSuffix(".sqlite") {
      try FileManager.default.copyItem(
        at: fixture.folder.appending(path: name), to: URL(filePath: "\(copies)/\(name)"))
      try setMode(0o600, "\(copies)/\(name)")
    }
    try await kith("db", "restore", copies, "--yes")
    try await kith("db", "check")
    #expect(try await jobs() == fixture.expected().jobs.count)
  }

  /// The timer runs `jobs due` without a terminal: a journal that came from elsewhere changes nothing until it was looked at.
  @Test func aRestoredJournalEndsNothingUnattended() async throws {
    try await kith("login", "alice.test")
    try await kith("block", "niaj.test", "--for", "1h", "--yes")
    try await kith("db", "backup", path("copies"))
    try await user.network.clock.sleep(for: .seconds(7_200))
    let restored = try await kith("db", "restore", path("copies"), "--yes")
    #expect(restored.talk.contains("\"restoredJobs\"") && restored.talk.contains("\"due\":1"))
    for _ in 1...2 {
      let held = try await kith("jobs", "due", "--no-wait")
      #expect(held.rows.isEmpty && held.talk.contains("\"endsHeld\"") && !held.talk.contains("nothingDue"))
      #expect(try user.records("block", about: "\(try user.did("niaj"))") == 1)
    }
    #expect(try await kith("jobs", "due", "--dry-run").rows.count == 1)
    #expect(try user.records("block", about: "\(try user.did("niaj"))") == 1)
    // From then on everything ends as before.
    try await kith("jobs", "due", "--yes")
    #expect(try user.records("block", about: "\(try user.did("niaj"))") == 0)
    #expect(try await !kith("jobs", "due").talk.contains("endsHeld"))
  }

  @Test func aRestoredJournalAsksOnATerminalOnce() async throws {
    let alice = try await SignedInRun()
    let copies = path("copies")
    #expect(try await alice.kith("mute bob.test --for 30s").status == 0)
    #expect(try await alice.kith(["db", "backup", copies]).status == 0)
    #expect(try await alice.kith(["db", "restore", copies, "--yes"]).status == 0)
    let later = ["KITH_CLOCK_SHIFT": "60"]
    for answer in ["n", "y"] {
      let terminal = try PseudoTerminal(
        ["jobs", "due"], environment: alice.environment.merging(later) { $1 })
      let shown = await terminal.read(answering: [answer])
      #expect(shown.contains("[y/N]") && shown.contains("bob.test"), "\(shown)")
      let state = try await alice.kith("jobs show 1").changes().map(\.state)
      #expect(state == [answer == "y" ? "undone" : "done"], "\(shown)")
    }
    let after = try await KithRun.inside(
      ["jobs", "due"], environment: alice.environment.merging(later) { $1 })
    #expect(try after.codes == ["nothingDue"])
  }

  // MARK: Other paths

  @Test func outputGoesWhereItIsNamedAndNoFurther() async throws {
    try await kith("login", "alice.test")
    let plain = try await kith("export", "following")
    let written = try await kith("export", "following", "-o", "-")
    #expect(written.rows == plain.rows && !plain.rows.isEmpty)
    #expect(!FileManager.default.fileExists(atPath: "-"))
    func mode(_ name: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path(name))[.posixPermissions] as? Int
    }
    try await kith("export", "following", "-o", path("rows.csv"))
    #expect(try mode("rows.csv") == 0o600)
    // A report is for others, if the mask of the process allows it.
    try await kith("stats", "alice.test", "-o", path("report.md"), "--metric", "cards")
    #expect(try (mode("report.md") ?? 0) & 0o044 != 0)
  }

  @Test func settingsThatOthersCanChangeAreNotRead() async throws {
    try await kith("config", "set", "quiet", "on")
    try setMode(0o666, path("config/kith/settings"))
    let refused = try await kith("resolve", "alice.test", expecting: 74)
    #expect(refused.talk.contains("settingsUnsafe"))
  }

  /// A picture is content to be published, never trusted: it may belong to anyone, and is bounded.
  @Test func aPictureIsReadOnceAndNotForever() async throws {
    try await kith("login", "alice.test")
    let endless = try await kith("post", "x", "--image", "/dev/zero", "--alt", "", "--yes", expecting: 65)
    #expect(endless.talk.contains("unusablePicture"))
  }
}
