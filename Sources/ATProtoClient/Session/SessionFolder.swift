// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Sessions in files that nobody but their owner can read: one for each account.
///
/// The folder has mode 0700 and its files 0600; what others can read or change, what belongs to somebody else
/// and what is a symbolic link is refused, with the way to mend it. A file is written as a whole or not at all.
/// Locks are those of `flock`, beside each file, and so hold among processes of one machine.
public struct SessionFolder: SessionStore {
  private let folder: PrivateFolder
  private let time: TimeSource
  private let patience: Duration

  /// The file that names the account which acts where none is named.
  private static let currentName = "current"
  /// File names have bounds of their own; no DID of a real account comes near.
  private static let longestDID = 200

  /// Names a folder, which need not exist yet.
  ///
  /// - Parameters:
  ///   - path: absolute; folders that are missing on the way are made with mode 0700.
  ///   - patience: how long another process may hold the lock of an account. A refresh at a server that fails
  ///     takes up to a minute.
  public init(path: String, patience: Duration = .seconds(120), time: TimeSource = .system) {
    self.init(PrivateFolder(path: path), patience: patience, time: time)
  }

  init(_ folder: PrivateFolder, patience: Duration = .seconds(120), time: TimeSource = .system) {
    self.folder = folder
    self.patience = patience
    self.time = time
  }

  public func session(of account: DID) throws -> Session? {
    let name = try Self.name(of: account)
    guard let bytes = try folder.read(name) else { return nil }
    do {
      let session = try SessionDocument.decode(bytes)
      guard session.did == account else {
        throw SessionDocument.Fault("it holds the session of \(session.did)")
      }
      return session
    } catch {
      throw Self.malformed(folder.path(of: name), error)
    }
  }

  public func save(_ session: Session) throws {
    try folder.write(try SessionDocument.encode(session), to: try Self.name(of: session.did))
  }

  public func remove(_ account: DID) throws { try folder.remove(try Self.name(of: account)) }

  public func accounts() throws -> [DID] {
    try folder.names().filter { $0.hasSuffix(Self.suffix) }
      .compactMap { DID(String($0.dropLast(Self.suffix.count))) }
      .sorted { $0.description < $1.description }
  }

  public func current() throws -> DID? {
    guard let bytes = try folder.read(Self.currentName) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let did = DID(text) else {
      let fault = SessionDocument.Fault("it does not hold a DID")
      throw Self.malformed(folder.path(of: Self.currentName), fault)
    }
    return did
  }

  public func setCurrent(_ account: DID?) throws {
    if let account {
      try folder.write(Array(account.description.utf8), to: Self.currentName)
    } else {
      try folder.remove(Self.currentName)
    }
  }

  public func withExclusiveAccess<Value: Sendable>(
    to account: DID, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    let name = "\(try Self.name(of: account)).lock"
    let started = time.now
    var pause = Duration.milliseconds(5)
    while true {
      try Task.checkCancellation()
      if let lock = try folder.lock(name) {
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

  private static let suffix = ".json"

  private static func name(of account: DID) throws -> String {
    guard account.description.utf8.count <= longestDID else {
      throw SessionError(.fileTrouble, subject: account, detail: "the DID is too long for the name of a file")
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
