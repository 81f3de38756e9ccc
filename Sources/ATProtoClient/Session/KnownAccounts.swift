// SPDX-License-Identifier: Apache-2.0

package import ATProtoCore

/// Records where accounts signed in before, as ssh's `known_hosts` does for keys of hosts: one JSON document
/// in a folder that only its owner can read.
///
/// A handle that resolves differently than before may have changed hands; an account may have moved to
/// another server.
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
  private static let version: Int64 = 1
  private static let mostBytes = 1 << 20

  private let folder: SecureFolder

  /// Creates a value for a folder, which need not exist yet; it is created with mode 0700.
  package init(path: String) { folder = SecureFolder(path: path) }

  /// Returns what a name resolved to when it last signed in; nil if it never did.
  ///
  /// - Throws: ``SessionError``.
  package func entry(of account: ATIdentifier) throws -> Entry? {
    try read()[account.description].flatMap(Entry.init)
  }

  /// Returns what a name resolved to before, if that differs from the given place.
  ///
  /// - Throws: ``SessionError``.
  package func contradiction(of place: SignInPlace) throws -> Entry? {
    guard let entry = try entry(of: place.account) else { return nil }
    return entry.did == place.did ?? entry.did && entry.pds.origin == place.pds.origin ? nil : entry
  }

  /// Records where an account has signed in, replacing the earlier entry for that name.
  ///
  /// - Throws: ``SessionError``.
  package func remember(_ account: ATIdentifier, _ session: Session) throws {
    var accounts = try read()
    let entry = Entry(did: session.did, pds: session.pds)
    guard accounts[account.description].flatMap(Entry.init) != entry else { return }
    accounts[account.description] = entry.value
    let document = DataValue.object(["version": .integer(Self.version), "accounts": .object(accounts)])
    do {
      try folder.write(try JSONCoding.encode(document), to: Self.fileName)
    } catch let error as SecureFolderError {
      throw SessionError(error)
    }
  }

  /// Entries that cannot be decoded are kept unchanged, such as those of a newer program.
  private func read() throws -> [String: DataValue] {
    let bytes: [UInt8]?
    do { bytes = try folder.read(Self.fileName, limit: Self.mostBytes) } catch { throw SessionError(error) }
    guard let bytes else { return [:] }
    guard let document = try? JSONCoding.decode(DataValue.self, from: bytes).object,
      let accounts = document["accounts"]?.object
    else {
      throw SessionError(
        .malformedFile, subject: folder.path(of: Self.fileName),
        detail: "the record of earlier sign-ins is damaged; remove the file to discard it")
    }
    return accounts
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
