// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// Records where accounts signed in before, as ssh's `known_hosts` does for keys of hosts: one JSON document
/// in a folder that only its owner can read.
///
/// A handle that resolves differently than before may have changed hands; an account may have moved to
/// another server. An account is known under its DID and under each name that it signed in with; all of them
/// lead to the server of its last sign-in. What cannot be read is an error, never an account that is not known.
package struct KnownAccounts: Sendable {
  /// What an account's name resolved to when it last signed in.
  package struct Entry: Sendable, Hashable {
    /// The account.
    package let did: DID
    /// Its server.
    package let pds: ServiceURL

    package init(did: DID, pds: ServiceURL) { (self.did, self.pds) = (did, pds) }
  }

  private static let fileName = "accounts.json"
  private static let lockName = "accounts.lock"
  private static let version: Int64 = 1
  private static let mostBytes = 1 << 20

  private let folder: SecureFolder
  private let patience: Duration

  /// Creates a value for a folder, which need not exist yet; it is created with mode 0700.
  ///
  /// - Parameter patience: How long to wait while another process holds the file.
  package init(path: String, patience: Duration = .seconds(10)) {
    folder = SecureFolder(path: path)
    self.patience = patience
  }

  /// Returns what a name resolved to when it last signed in; nil if it never did.
  ///
  /// - Throws: ``SessionError``.
  package func entry(of account: ATIdentifier) throws -> Entry? {
    try read()[account.description]
  }

  /// Returns what the name resolved to before, or where the account was before under any other name, if that
  /// differs from the given place.
  ///
  /// - Parameter stored: the session of the account that is stored on this machine; nil if there is none.
  /// - Throws: ``SessionError``.
  package func contradiction(of target: SignInTarget, beside stored: Session? = nil) throws -> Entry? {
    let known = try read()
    var earlier: [Entry] = []
    if let entry = known[target.account.description] { earlier.append(entry) }
    if let did = target.did {
      earlier += known.values.filter { $0.did == did }
      if let stored, stored.did == did { earlier.append(Entry(did: did, pds: stored.pds)) }
    }
    return earlier.first { entry in
      entry.did != target.did ?? entry.did || entry.pds.origin != target.pds.origin
    }
  }

  /// Records where an account has signed in, for that name, its DID and every other name of it.
  ///
  /// - Throws: ``SessionError``; also if another process holds the file for too long.
  package func remember(_ account: ATIdentifier, _ session: Session) throws {
    do {
      // Two sign-ins at once each add their entry.
      guard let lock = try folder.lock(Self.lockName, patience: patience) else {
        throw SessionError(
          .locked, subject: folder.path(of: Self.fileName),
          detail: "another process holds the record of earlier sign-ins")
      }
      defer { lock.release() }
      var accounts = try read()
      let entry = Entry(did: session.did, pds: session.pds)
      for name in accounts.filter({ $0.value.did == session.did }).keys { accounts[name] = entry }
      accounts[account.description] = entry
      accounts[session.did.description] = entry
      let document = DataValue.object([
        "version": .integer(Self.version),
        "accounts": .object(DataObject(accounts.map { ($0.key, $0.value.value) })),
      ])
      try folder.write(try JSONCoding.encode(document), to: Self.fileName)
    } catch let error as SecureFolderError {
      throw SessionError(error)
    }
  }

  private func read() throws -> [String: Entry] {
    let bytes: [UInt8]?
    do { bytes = try folder.read(Self.fileName, limit: Self.mostBytes) } catch { throw SessionError(error) }
    guard let bytes else { return [:] }
    guard let document = try? JSONCoding.decode(DataValue.self, from: bytes).object,
      let accounts = document["accounts"]?.object
    else { throw damaged }
    guard document["version"] == .integer(Self.version) else {
      throw SessionError(
        .newerFile, subject: folder.path(of: Self.fileName),
        detail: "a newer version wrote the record of earlier sign-ins; remove the file to discard it")
    }
    return try accounts.reduce(into: [:]) { entries, account in
      guard let entry = Entry(account.value) else { throw damaged }
      entries[account.key] = entry
    }
  }

  private var damaged: SessionError {
    SessionError(
      .malformedFile, subject: folder.path(of: Self.fileName),
      detail: "the record of earlier sign-ins is damaged; remove the file to discard it")
  }
}

extension KnownAccounts.Entry {
  fileprivate init?(_ value: DataValue) {
    guard let did = value.object?["did"]?.string.flatMap({ DID($0) }),
      let pds = value.object?["pds"]?.string.flatMap({ ServiceURL($0) })
    else { return nil }
    self.init(did: did, pds: pds)
  }

  fileprivate var value: DataValue {
    .object(["did": .string(did.description), "pds": .string(pds.description)])
  }
}
