// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import KithCore

@Suite final class SecureFolderTests {
  private let root = FileManager.default.temporaryDirectory.appending(
    path: "kith-folder-\(UUID().uuidString)"
  ).path()
  private var path: String { "\(root)/state/kith" }
  private var folder: SecureFolder { SecureFolder(path: path) }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func fault<Value>(_ body: () throws(SecureFolderError) -> Value) -> SecureFolderError? {
    do throws(SecureFolderError) {
      _ = try body()
      return nil
    } catch { return error }
  }

  /// The outcome of every use of the folder and of a file in it.
  private func faults(_ folder: SecureFolder) -> [SecureFolderError?] {
    [
      fault { () throws(SecureFolderError) in try folder.create() },
      fault { () throws(SecureFolderError) in try folder.names() },
      fault { () throws(SecureFolderError) in try folder.read("file", limit: 9) },
      fault { () throws(SecureFolderError) in try folder.write([1], to: "file") },
      fault { () throws(SecureFolderError) in try folder.check("file") },
      fault { () throws(SecureFolderError) in try folder.lock("file.lock") },
      fault { () throws(SecureFolderError) in try folder.holder(of: "file.lock") },
      fault { () throws(SecureFolderError) in try folder.remove("file") },
      fault { () throws(SecureFolderError) in try folder.files() },
      fault { () throws(SecureFolderError) in try folder.touch("file", at: .epoch) },
      fault { () throws(SecureFolderError) in try folder.removeFiles(["file"]) },
    ]
  }

  private func setMode(_ mode: Int, _ path: String) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func absentFolderIsReadAsEmptyAndNotCreated() throws {
    #expect(try folder.names().isEmpty)
    #expect(try folder.read("file", limit: 9) == nil)
    #expect(try folder.check("file") == false)
    #expect(try folder.holder(of: "file.lock") == nil)
    try folder.remove("file")
    #expect(!FileManager.default.fileExists(atPath: root))
  }

  #if os(Linux)
    /// SQLite locks with `fcntl`, and closing any descriptor of a file releases all such locks of the process.
    @Test func aCheckKeepsTheLocksOfADatabaseThatIsOpen() throws {
      #expect(try folder.check("database", creating: true))
      let descriptor = open("\(path)/database", O_RDWR)
      defer { close(descriptor) }
      var wanted = flock()
      (wanted.l_type, wanted.l_whence) = (Int16(F_WRLCK), Int16(SEEK_SET))
      try #require(fcntl(descriptor, F_SETLK, &wanted) == 0)
      #expect(try folder.check("database") && folder.check("database", creating: true))
      // A lock of an open file (F_OFD_SETLK) is refused by locks of processes, also by those of this one.
      let other = open("\(path)/database", O_RDWR)
      defer { close(other) }
      #expect(fcntl(other, 37, &wanted) == -1 && errno == EAGAIN)
    }
  #endif

  @Test func createsFoldersAndFilesForTheOwnerAlone() throws {
    let mask = umask(0)
    defer { umask(mask) }
    try folder.write([1, 2], to: "file", isFlushed: false)
    #expect(try folder.check("database", creating: true))
    #expect(try folder.lock("lock") != nil)
    #expect(try [root, "\(root)/state", path].map(mode) == [0o700, 0o700, 0o700])
    #expect(try ["file", "database", "lock"].map { try mode(folder.path(of: $0)) } == [0o600, 0o600, 0o600])
    #expect(try folder.names().sorted() == ["database", "file", "lock"])
    #expect(try folder.read("file", limit: 2) == [1, 2])
  }

  /// A killed process leaves what it was writing, tokens for example.
  @Test func removesTemporaryFilesOfProcessesThatEnded() throws {
    try folder.create()
    let ended = Process()
    ended.executableURL = URL(filePath: "/bin/true")
    try ended.run()
    ended.waitUntilExit()
    let (dead, alive) = (ended.processIdentifier, getpid())
    let cases = [
      (".a.json.\(dead).7", 120, false), (".a.json.\(alive).7", 120, true), (".a.json.\(dead).8", 0, true),
      (".hidden", 120, true), (".a.\(dead).json", 120, true), ("a.json.\(dead).7", 120, true),
      (".kith.sqlite.\(dead).4294967295", 120, false),
    ]
    func make() throws {
      for (name, age, _) in cases {
        try Data("token".utf8).write(to: URL(filePath: folder.path(of: name)))
        let time = Date(timeIntervalSinceNow: -Double(age))
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: folder.path(of: name))
      }
    }
    for use in [
      { [folder] in try folder.write([1], to: "b") }, { [folder] in _ = try folder.lock("b.lock") },
    ] {
      try make()
      try use()
      for (name, _, stays) in cases {
        #expect(FileManager.default.fileExists(atPath: folder.path(of: name)) == stays, "\(name)")
      }
    }
  }

  @Test func aTemporaryFileIsPrivateAndRemoved() throws {
    let mask = umask(0)
    defer { umask(mask) }
    let (path, mode) = try folder.withTemporaryFile(for: "kith.sqlite") { ($0, try self.mode($0)) }
    #expect(mode == 0o600 && !FileManager.default.fileExists(atPath: path))
  }

  @Test(arguments: [0o750, 0o705, 0o770, 0o707, 0o777, 0o1777])
  func refusesAFolderThatOthersHaveAccessTo(mode: Int) throws {
    try folder.write([1], to: "file")
    try setMode(mode, path)
    for error in faults(folder) {
      #expect(error?.reason == .accessibleToOthers(mode: UInt32(mode), wanted: 0o700))
      #expect(error?.path == path && error?.isUnsafe == true)
    }
    #expect(try self.mode(path) == mode, "it stays as it is")
  }

  @Test(arguments: [0o640, 0o604, 0o620, 0o602, 0o666])
  func refusesAFileThatOthersHaveAccessTo(mode: Int) throws {
    try folder.write([1], to: "file")
    try setMode(mode, folder.path(of: "file"))
    let reason = SecureFolderError.Reason.accessibleToOthers(mode: UInt32(mode), wanted: 0o600)
    #expect(fault { () throws(SecureFolderError) in try folder.read("file", limit: 9) }?.reason == reason)
    #expect(fault { () throws(SecureFolderError) in try folder.check("file") }?.reason == reason)
    #expect(fault { () throws(SecureFolderError) in try folder.lock("file") }?.reason == reason)
    #expect(try self.mode(folder.path(of: "file")) == mode, "it stays as it is")
  }

  @Test func refusesWhatBelongsToAnotherUser() throws {
    try folder.write([1], to: "file")
    let other = SecureFolder(path: path, owner: geteuid() + 1)
    // For root the folders above are fine but the folder itself is not; for others none is.
    for error in faults(other) {
      #expect(error?.reason == .foreignOwner(geteuid()) && error?.isUnsafe == true)
    }
  }

  @Test func refusesASymbolicLinkInItsPlace() throws {
    try folder.write([1], to: "file")
    let link = SecureFolder(path: "\(root)/link")
    try FileManager.default.createSymbolicLink(atPath: link.path, withDestinationPath: path)
    for error in faults(link) { #expect(error?.reason == .symbolicLink && error?.path == link.path) }
  }

  @Test func refusesFilesThatAreLinks() throws {
    try folder.create()
    let victim = "\(root)/victim"
    try Data("precious".utf8).write(to: URL(filePath: victim))
    try setMode(0o600, victim)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(of: "symbolic"), withDestinationPath: victim)
    try FileManager.default.linkItem(atPath: victim, toPath: folder.path(of: "hard"))
    for (name, reason) in [("symbolic", SecureFolderError.Reason.symbolicLink), ("hard", .hardLink)] {
      #expect(fault { () throws(SecureFolderError) in try folder.read(name, limit: 99) }?.reason == reason)
      #expect(fault { () throws(SecureFolderError) in try folder.lock(name) }?.reason == reason)
      #expect(
        fault { () throws(SecureFolderError) in try folder.check(name, creating: true) }?.reason == reason)
    }
    // A file that is replaced atomically is not written through.
    try folder.write([1], to: "symbolic")
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "precious")
    #expect(try folder.read("symbolic", limit: 9) == [1])
  }

  @Test func rejectsWhatIsNotARegularFile() throws {
    try folder.create()
    #expect(mkfifo(folder.path(of: "pipe"), 0o600) == 0)
    #expect(mkdir(folder.path(of: "folder"), 0o700) == 0)
    for name in ["pipe", "folder"] {
      #expect(fault { () throws(SecureFolderError) in try folder.read(name, limit: 9) }?.reason == .notAFile)
      #expect(fault { () throws(SecureFolderError) in try folder.lock(name) }?.reason == .notAFile)
    }
    let file = SecureFolder(path: "\(root)/file")
    try Data().write(to: URL(filePath: file.path))
    for error in faults(file) { #expect(error?.reason == .notAFolder) }
    for error in faults(SecureFolder(path: "\(file.path)/below")) {
      #expect(error?.reason == .notAFolder && error?.path == file.path)
    }
  }

  /// A socket without a mode that others may use: only root or the owner can connect to one of these.
  @Test func findsItsOwnSocketsOnly() throws {
    #expect(try !folder.hasSocket("socket"))
    try folder.create()
    #expect(try !folder.hasSocket("socket"))
    #expect(mknod(folder.path(of: "socket"), S_IFSOCK | 0o600, 0) == 0)
    #expect(try folder.hasSocket("socket"))
    #expect(mknod(folder.path(of: "open"), S_IFSOCK | 0o600, 0) == 0)
    try setMode(0o666, folder.path(of: "open"))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(of: "link"), withDestinationPath: folder.path(of: "socket"))
    try folder.write([1], to: "file")
    for (name, reason) in [
      ("open", SecureFolderError.Reason.accessibleToOthers(mode: 0o666, wanted: 0o600)),
      ("link", .notASocket), ("file", .notASocket),
    ] {
      #expect(fault { () throws(SecureFolderError) in try folder.hasSocket(name) }?.reason == reason)
    }
  }

  @Test(arguments: [0o707, 0o777, 0o702])
  func refusesAFolderThatOthersCanReplace(mode: Int) throws {
    try folder.write([1], to: "file")
    try setMode(mode, "\(root)/state")
    for error in faults(folder) {
      #expect(error?.reason == .parentWritableByOthers(mode: UInt32(mode)) && error?.isUnsafe == true)
      #expect(error?.path == "\(root)/state")
    }
  }

  @Test(arguments: [0o755, 0o711, 0o1777, 0o2755]) func allowsFoldersAboveThatOthersOnlyRead(mode: Int) throws
  {
    try folder.write([1], to: "file")
    try setMode(mode, "\(root)/state")
    #expect(faults(folder).allSatisfy { $0 == nil })
  }

  /// As with umask 002 on systems with a private group for each user.
  @Test func groupIsPrivateIfNoOtherUserHasIt() {
    let user = PrivateGroup(user: "alice", primaryGroup: 1_000)
    #expect(user.matches(.init(id: 1_000, name: "alice", members: [])))
    #expect(user.matches(.init(id: 1_000, name: "alice", members: ["alice"])))
    #expect(!user.matches(.init(id: 1_000, name: "alice", members: ["alice", "bob"])))
    #expect(!user.matches(.init(id: 1_000, name: "users", members: [])))
    #expect(!user.matches(.init(id: 50, name: "alice", members: [])))
    #expect(!PrivateGroup.isPrivate(4_000_000_000, of: geteuid()))
    #expect(!PrivateGroup.isPrivate(getegid(), of: 4_000_000_000))
  }

  @Test func groupCanWriteAFolderAboveOnlyIfItIsPrivate() throws {
    try folder.write([1], to: "file")
    try setMode(0o770, "\(root)/state")
    let isPrivate = PrivateGroup.isPrivate(getegid(), of: geteuid())
    let reason: SecureFolderError.Reason? = isPrivate ? nil : .parentWritableByOthers(mode: 0o770)
    for error in faults(folder) { #expect(error?.reason == reason) }
  }

  @Test func linksOnTheWayAreFollowedAndTheirWayIsChecked() throws {
    try folder.write([7], to: "file")
    try FileManager.default.createSymbolicLink(atPath: "\(root)/way", withDestinationPath: "state")
    try FileManager.default.createSymbolicLink(
      atPath: "\(root)/around", withDestinationPath: "\(root)/way/../state/./")
    for way in ["way", "around"] {
      #expect(try SecureFolder(path: "\(root)/\(way)/kith").read("file", limit: 9) == [7])
    }
    try setMode(0o777, "\(root)/state")
    let error = fault { () throws(SecureFolderError) in try SecureFolder(path: "\(root)/around/kith").names()
    }
    #expect(error?.path == "\(root)/state")
    try FileManager.default.createSymbolicLink(atPath: "\(root)/loop", withDestinationPath: "loop")
    let loop = fault { () throws(SecureFolderError) in try SecureFolder(path: "\(root)/loop/kith").names() }
    #expect(loop?.reason == .system(.open, ELOOP))
  }

  @Test func takesAbsolutePathsOnly() {
    for path in ["", "state/kith", "/"] {
      for error in faults(SecureFolder(path: path)) { #expect(error?.reason == .relativePath) }
    }
  }

  @Test func readsAtMostItsLimit() throws {
    try folder.write([1, 2, 3], to: "file")
    #expect(try folder.read("file", limit: 3) == [1, 2, 3])
    let error = fault { () throws(SecureFolderError) in try folder.read("file", limit: 2) }
    #expect(error?.reason == .tooLarge(limit: 2) && error?.isUnsafe == false)
  }

  @Test(arguments: [0, 1, 3]) func keepsTheOldFileWhenTheDiskIsFull(room: Int) throws {
    try folder.write([1, 2, 3, 4], to: "file")
    let full = SecureFolder(path: path) { descriptor, bytes in
      guard room > 0, lseek(descriptor, 0, SEEK_CUR) == 0 else {
        errno = ENOSPC
        return -1
      }
      return write(descriptor, bytes.baseAddress, room)
    }
    let error = fault { () throws(SecureFolderError) in try full.write([5, 6, 7, 8], to: "file") }
    #expect(error?.reason == .system(.write, ENOSPC) && error?.isDiskFull == true)
    #expect(try folder.read("file", limit: 9) == [1, 2, 3, 4])
    #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["file"])
  }

  @Test func removesAFileWithItsLockAndWhatInterruptedWritesLeft() throws {
    try folder.write([1], to: "file")
    try folder.write([1], to: "other")
    _ = try folder.lock("file.lock")
    for name in [".file.7.7", ".other.7.7"] {
      try Data("torn".utf8).write(to: URL(filePath: folder.path(of: name)))
    }
    try folder.remove("file")
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == [".other.7.7", "other"])
  }

  @Test func knowsSizesAndTimesOfRegularFiles() throws {
    #expect(try folder.files().isEmpty)
    try folder.write([1, 2, 3], to: "file")
    try folder.write([1], to: ".hidden")
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(of: "link"), withDestinationPath: folder.path(of: "file"))
    #expect(mkdir(folder.path(of: "folder"), 0o700) == 0)
    let time = Instant(secondsSinceEpoch: 1_700_000_000)
    try folder.touch("file", at: time)
    #expect(try folder.files() == [SecureFolder.File(name: "file", bytes: 3, changed: time)])
  }

  @Test func setsTheTimeOfAFileThatIsOldEnough() throws {
    try folder.touch("file", at: .epoch)
    try folder.write([1], to: "file")
    let time = Instant(secondsSinceEpoch: 1_700_000_000)
    try folder.touch("file", at: time)
    for (later, isSet) in [(59, false), (60, true), (30, true)] {
      let now = time + .seconds(later)
      try folder.touch("file", at: now, ifOlderThan: .seconds(60))
      #expect(try folder.files().map(\.changed) == [isSet ? now : time], "\(later)")
    }
  }

  @Test func theTimeOfALinkIsItsOwn() throws {
    try folder.write([1], to: "file")
    let time = Instant(secondsSinceEpoch: 1_700_000_000)
    try folder.touch("file", at: time)
    try FileManager.default.createSymbolicLink(
      atPath: folder.path(of: "link"), withDestinationPath: folder.path(of: "file"))
    try folder.touch("link", at: .epoch)
    #expect(try folder.files().map(\.changed) == [time])
  }

  @Test func removesSeveralFilesAndOnlyThem() throws {
    try folder.removeFiles(["a"])
    for name in ["a", "b", "c"] { try folder.write([1], to: name) }
    try folder.removeFiles(["a", "absent", "c"])
    #expect(try folder.names() == ["b"])
  }

  @Test func locksForOneHolderAtATime() throws {
    let first = try #require(try folder.lock("lock"))
    first.write("me")
    #expect(try folder.lock("lock", patience: .milliseconds(5)) == nil)
    #expect(try folder.holder(of: "lock") == "me")
    first.release()
    first.release()
    #expect(try folder.holder(of: "lock") == nil)
    let second = try #require(try folder.lock("lock"))
    // A lock on a removed file does not block a new file of that name, and no process takes the old one.
    try folder.removeLock("lock")
    let third = try #require(try folder.lock("lock"))
    #expect(try folder.lock("lock") == nil)
    withExtendedLifetime((second, third)) {}
  }

  /// On a drive without locks, no other process holds one.
  @Test func failsIfAFileCannotBeLockedAtAll() {
    let error = fault { () throws(SecureFolderError) in try SecureFolder.flocked(-1, "/locks/job-1") }
    #expect(error?.reason == .system(.lock, EBADF) && error?.path == "/locks/job-1")
  }
}
