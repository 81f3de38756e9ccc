// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Stores sessions in files that only their owner can read, one per account.
///
/// The folder has mode 0700 and its files 0600. Files that other users can read, change or replace, files of
/// another user and symbolic links are rejected. Files are written atomically.
/// Locks use `flock` on a file beside each session, so they work between processes of one machine.
public struct SessionFolder: SessionStore {
  private let folder: SecureFolder
  private let time: TimeSource
  private let patience: Duration

  /// The file with the name of the current account.
  private static let currentName = "current"
  /// The maximum size of a file in bytes.
  private static let mostBytes = 64 << 10
  /// The maximum length of a DID, because file names are limited; DIDs of real accounts are much shorter.
  private static let longestDID = 200

  /// Creates a value for a folder, which need not exist yet.
  ///
  /// - Parameters:
  ///   - path: An absolute path; missing folders on it are created with mode 0700.
  ///   - patience: How long to wait while another process holds the lock of an account. A refresh at a
  ///     failing server takes up to a minute.
  public init(path: String, patience: Duration = .seconds(120), time: TimeSource = .system) {
    self.init(SecureFolder(path: path), patience: patience, time: time)
  }

  init(_ folder: SecureFolder, patience: Duration = .seconds(120), time: TimeSource = .system) {
    self.folder = folder
    self.patience = patience
    self.time = time
  }

  public func session(of account: DID) throws -> Session? {
    let name = try Self.name(of: account)
    guard let bytes = try files({ try $0.read(name, limit: Self.mostBytes) }) else { return nil }
    do {
      let session = try SessionDocument.decode(bytes)
      guard session.did == account else {
        throw SessionDocument.Fault("it contains the session of \(session.did)")
      }
      return session
    } catch {
      throw Self.malformed(folder.path(of: name), error)
    }
  }

  public func save(_ session: Session) throws {
    let (name, bytes) = (try Self.name(of: session.did), try SessionDocument.encode(session))
    try files { try $0.write(bytes, to: name) }
  }

  public func remove(_ account: DID) throws {
    let name = try Self.name(of: account)
    try files { try $0.remove(name) }
  }

  public func accounts() throws -> [DID] {
    try files { try $0.names() }.filter { $0.hasSuffix(Self.suffix) }
      .compactMap { DID(String($0.dropLast(Self.suffix.count))) }
      .sorted { $0.description < $1.description }
  }

  public func current() throws -> DID? {
    guard let bytes = try files({ try $0.read(Self.currentName, limit: Self.mostBytes) }) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let did = DID(text) else {
      let fault = SessionDocument.Fault("it does not contain a DID")
      throw Self.malformed(folder.path(of: Self.currentName), fault)
    }
    return did
  }

  public func setCurrent(_ account: DID) async throws {
    try await withLock(Self.currentName, of: account) {
      try files { try $0.write(Array(account.description.utf8), to: Self.currentName) }
    }
  }

  public func clearCurrent(ifIs account: DID) async throws {
    try await withLock(Self.currentName, of: account) {
      if try current() == account { try files { try $0.remove(Self.currentName) } }
    }
  }

  public func withExclusiveAccess<Value: Sendable>(
    to account: DID, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    try await withLock(try Self.name(of: account), of: account, body)
  }

  private func withLock<Value: Sendable>(
    _ name: String, of account: DID, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    let name = "\(name).lock"
    let started = time.now
    var pause = Duration.milliseconds(5)
    while true {
      try Task.checkCancellation()
      if let lock = try files({ try $0.lock(name) }) {
        defer { lock.release() }
        return try await body()
      }
      guard time.now - started < patience else {
        throw SessionError(
          .locked, subject: account,
          detail: "another process has held its session for \(patience.inWords): \(folder.path(of: name))")
      }
      try await time.sleep(for: pause)
      pause = min(pause * 2, .milliseconds(40))
    }
  }

  private func files<Value>(_ body: (SecureFolder) throws -> Value) throws -> Value {
    do { return try body(folder) } catch let error as SecureFolderError { throw SessionError(error) }
  }

  private static let suffix = ".json"

  private static func name(of account: DID) throws -> String {
    guard account.description.utf8.count <= longestDID else {
      throw SessionError(.fileTrouble, subject: account, detail: "the DID is too long for a file name")
    }
    return "\(account)\(suffix)"
  }

  private static func malformed(_ path: String, _ fault: any Error) -> SessionError {
    let isNewer = (fault as? SessionDocument.Fault)?.isNewer == true
    let remedy =
      isNewer ? "use the newer program, or sign in again to replace it" : "sign in again to replace it"
    return SessionError(
      isNewer ? .newerFile : .malformedFile, subject: path,
      detail: "the stored session cannot be read: \(DecodingFault(fault)); \(remedy)", underlying: fault)
  }
}
