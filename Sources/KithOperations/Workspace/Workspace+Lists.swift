// SPDX-License-Identifier: Apache-2.0

package import KithClient
public import KithCore
package import KithRelationships

extension Workspace {
  /// The account for signed calls; nil if no account is signed in and none was named.
  package func accountIfAny() async throws -> AuthorizedAccount? {
    do {
      return try await account()
    } catch let error as SessionError where error.code == .notSignedIn && chosenAccount == nil {
      return nil
    }
  }

  /// The account of a DID, current or not; nil if it is not signed in here.
  package func account(of did: DID) async throws -> AuthorizedAccount? {
    do {
      return try await account(named: .did(did))
    } catch let error as SessionError where error.code == .notSignedIn {
      return nil
    }
  }

  /// The account whose mutes a predicate needs; nil if it needs none.
  ///
  /// - Throws: `SessionError` if no account is signed in; ``OperationError`` `mutesOfAnother`.
  package func owner(
    ofMutesIn predicate: AccountPredicate?, of actor: ATIdentifier
  ) async throws -> AuthorizedAccount? {
    guard let parties = predicate?.needs.mutes, !parties.isEmpty else { return nil }
    let account = try await account()
    for party in parties {
      let name: ATIdentifier
      switch party {
      case .viewer: continue
      case .actor: name = actor
      case .account(let other): name = other
      }
      guard account.isNamed(name) else { throw OperationError.mutesOfAnother(name) }
    }
    return account
  }

  /// The listings of an AppView and of repositories.
  ///
  /// - Parameters:
  ///   - muter: the account whose mutes predicates may use; nil for none.
  ///   - usesCache: whether to use cached handles and servers of earlier runs.
  package func listings(
    by appview: XRPCClient, as viewer: DID? = nil, mutesOf muter: AuthorizedAccount? = nil,
    usingCache usesCache: Bool = false
  ) -> Listings {
    let identities = usesCache ? cachedIdentities : identities
    var listings = Listings(
      appview, as: viewer, relationships: relationships(),
      identities: identities, index: index
    ) { [self] in try await repository(of: $0, by: identities) }
    listings.ownChanges = ownChanges
    listings.muting = muter.map { ($0.did, relationships(mutesOf: $0)) }
    return listings
  }

  /// Resolves the name of a list: its AT-URI, the URL of its page, a starter pack based on it, `OWNER/KEY` or
  /// `OWNER/NAME`, or the name of one of the account's own lists.
  ///
  /// - Throws: ``OperationError`` for a text that names no list or several.
  public func list(named text: String, of account: AuthorizedAccount?) async throws -> ATURI {
    guard let input = try RecordInput(parsing: text) else {
      if let (owner, name) = OwnedName.parts(of: text) {
        let owner = try await identities.did(of: owner)
        if TID(name) != nil, let key = RecordKey(name) {
          return ATURI(authority: .did(owner), collection: .list, recordKey: key)
        }
        let lists = try await OwnLists(of: owner, client: try await repository(of: owner))
        if let list = try await only(lists.named(name), named: name) { return list.uri }
        guard account != nil else { throw OperationError.noListNamed(name, of: owner) }
      }
      guard let account else {
        throw OperationError.listNeedsSession(text)
      }
      return try await ownList(named: text, of: account)
    }
    let owner = try await identities.did(of: input.owner)
    guard input.kind == .starterPack else { return input.uri(ownedBy: owner) }
    return try await starterPack(input.rkey, of: owner).list
  }

  /// The lists of an account that is signed in; completion offers their names from then on.
  package func ownLists(of account: AuthorizedAccount) async throws -> OwnLists {
    let lists = try await OwnLists(of: account.did, client: account.repository)
    if let names = stores.cache?.lists() {
      let named = lists.all.compactMap { list in list.name.map { (uri: list.uri, name: $0) } }
      try? await names.replace(named, of: account.did)
    }
    return lists
  }

  /// The cached names of lists; empty without a cache.
  func listNames() async -> [ATURI: String] { (try? await stores.cache?.lists()?.namesByList()) ?? [:] }

  private func ownList(named name: String, of account: AuthorizedAccount) async throws -> ATURI {
    let lists = try await ownLists(of: account)
    if let list = try await only(lists.named(name), named: name) { return list.uri }
    throw OperationError.unknownListName(name, among: Array(lists.all.compactMap(\.name).prefix(10)))
  }

  /// The only one of some lists of one name; nil if there are none. A list that belongs to a starter pack, which listings of
  /// lists do not show, is meant only if there is not another one.
  ///
  /// - Throws: ``OperationError`` `ambiguousListName`, with what tells them apart.
  private func only(_ found: [OwnList], named name: String) async throws -> OwnList? {
    let shown = found.filter { $0.purpose != .refer }
    let meant = shown.isEmpty ? found : shown
    if meant.count <= 1 { return meant.first }
    let listings = Listings(appview)
    var described: [(uri: ATURI, words: String)] = []
    for list in meant.prefix(Self.mostDescribed) {
      let members = (try? await listings.summary(of: list.uri))?.members
      let words = [
        list.purpose?.word, members.map { "\($0) member\($0 == 1 ? "" : "s")" },
        list.createdAt.map { "of \($0.description.prefix(10))" },
      ].compactMap(\.self)
      described.append((list.uri, words.joined(separator: ", ")))
    }
    described += meant.dropFirst(Self.mostDescribed).map { ($0.uri, "") }
    try Task.checkCancellation()
    throw OperationError.ambiguousListName(name, described)
  }

  /// Lists of one name whose members are counted.
  private static var mostDescribed: Int { 5 }

  /// Resolves the AT-URI or page URL of a post.
  ///
  /// - Throws: `InputError` for another text; `IdentityError` if its author cannot be found.
  public func post(named text: String) async throws -> ATURI {
    let input = try RecordInput(post: text)
    return input.uri(ownedBy: try await identities.did(of: input.owner))
  }

  /// Resolves the AT-URI or page URL of a starter pack, `OWNER/KEY` or `OWNER/NAME`, or the name of one of the
  /// account's own.
  ///
  /// - Throws: ``OperationError`` for a text that is not a starter pack.
  package func starterPack(named text: String) async throws -> StarterPack {
    guard let input = try RecordInput(parsing: text) else { return try await starterPack(titled: text) }
    guard input.kind == .starterPack else { throw OperationError.notAStarterPack(text) }
    return try await starterPack(input.rkey, of: try await identities.did(of: input.owner))
  }

  private func starterPack(titled text: String) async throws -> StarterPack {
    let owner: DID
    var name = text
    if let (actor, rest) = OwnedName.parts(of: text) {
      owner = try await identities.did(of: actor)
      name = rest
      if TID(rest) != nil, let key = RecordKey(rest) { return try await starterPack(key, of: owner) }
    } else if let account = try await accountIfAny() {
      owner = account.did
    } else {
      throw OperationError.notAStarterPack(text)
    }
    var found: [StarterPack] = []
    for try await row in RecordReader(of: owner, client: try await repository(of: owner))
      .starterPacks()
    {
      if case .success(let pack) = row, pack.name == name { found.append(pack) }
    }
    if let pack = found.first, found.count == 1 { return pack }
    throw found.isEmpty
      ? OperationError.notAStarterPack(text)
      : OperationError.ambiguousListName(
        name, found.map { ($0.uri, $0.description ?? "") }, nouns: "starter packs")
  }

  private func starterPack(_ rkey: RecordKey, of owner: DID) async throws -> StarterPack {
    guard
      let pack = try await StarterPack.read(rkey, of: owner, client: try await repository(of: owner))
    else {
      throw OperationError.noStarterPack(rkey, of: owner)
    }
    return pack
  }

  /// Whether a record exists in the repository of its owner.
  ///
  /// - Throws: errors of resolution and of the server.
  package func hasRecord(_ record: ATURI) async throws -> Bool {
    let owner = try await identities.did(of: record.authority)
    return try await RecordVersion.read(record, client: try await repository(of: owner)) != nil
  }

  /// A client of the server of an account's repository. That of the account to act as is trusted, even on a private
  /// network, and gets its session if it asks for a sign-in; no other server does.
  ///
  /// - Throws: ``OperationError`` if the DID document names no server.
  package func repository(of owner: DID, by identities: IdentityDirectory? = nil) async throws -> XRPCClient {
    // Most repositories are public: a session that cannot be read does not matter.
    if let account = try? await account(), account.did == owner { return account.repository }
    try Task.checkCancellation()
    guard let pds = try await (identities ?? self.identities).document(of: owner).pds else {
      throw OperationError.noRepository(owner)
    }
    return network.client(ofUntrustedHost: pds)
  }
}

/// A list or starter pack as tables show it: `OWNER/KEY`, or with its name in place of the key.
private enum OwnedName {
  static func parts(of text: String) -> (owner: ATIdentifier, name: String)? {
    guard let slash = text.firstIndex(of: "/"), let owner = ATIdentifier(String(text[..<slash])) else {
      return nil
    }
    let name = String(text[text.index(after: slash)...])
    return name.isEmpty ? nil : (owner, name)
  }
}
