// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Relationships

extension Wiring {
  /// The account in whose name a question may be asked; nil where nobody is signed in and none was named.
  func accountIfAny() async throws -> AuthorizedAccount? {
    do {
      return try await account()
    } catch let error as SessionError where error.code == .notSignedIn && chosenAccount == nil {
      return nil
    }
  }

  /// The session of an account that is signed in here, whichever is the current one; nil where it is not.
  func account(of did: DID) async throws -> AuthorizedAccount? {
    do {
      return try await account(named: .did(did))
    } catch let error as SessionError where error.code == .notSignedIn {
      return nil
    }
  }

  /// The account whose mutes a question asks about; nil where it asks about none.
  ///
  /// - Throws: ``CommandFault``: 77 where nobody is signed in, or where they are those of somebody else.
  func owner(
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
      guard account.isNamed(name) else { throw CommandFault(.notAllowed, .mutesOfAnother(name)) }
    }
    return account
  }

  /// What an AppView lists, and the repositories behind it.
  ///
  /// - Parameters:
  ///   - muter: whose mutes a question asks about; nil for nobody's.
  ///   - remembers: whether handles and servers may be those that an earlier run learned.
  func listings(
    by appview: XRPCClient, as viewer: DID? = nil, mutesOf muter: AuthorizedAccount? = nil,
    remembering remembers: Bool = false
  ) -> Listings {
    let identities = remembers ? rememberedIdentities : identities
    return Listings(
      appview, as: viewer, relationships: relationships(.init(linger: .zero), mutesOf: muter),
      identities: identities, index: index
    ) { [self] owner in
      // One's own server is trusted, wherever it stands.
      if let account = try await accountIfAny(), account.did == owner { return account.pds }
      return try await repository(of: owner, by: identities)
    }
  }

  /// The list that somebody names: by its AT-URI, by the URL of its page, by a starter pack that is built on it, or
  /// by the name of one of their own.
  ///
  /// - Throws: ``CommandFault``: `badInput` for a text that names none, or several.
  func list(named text: String, of account: AuthorizedAccount?) async throws -> ATURI {
    guard let input = try RecordInput(parsing: text) else {
      guard let account else {
        throw CommandFault(.notAllowed, .listNeedsSession(text))
      }
      return try await ownList(named: text, of: account)
    }
    let owner = try await identities.did(of: input.owner)
    guard input.kind == .starterPack else { return input.uri(ownedBy: owner) }
    return try await starterPack(input.rkey, of: owner).list
  }

  private func ownList(named name: String, of account: AuthorizedAccount) async throws -> ATURI {
    let lists = try await OwnLists(of: account.did, client: account.pds)
    let found = lists.named(name)
    switch found.count {
    case 1: return found[0].uri
    case 0:
      let names = lists.all.compactMap(\.name).prefix(10)
      throw CommandFault(.badInput, .unknownListName(name, among: Array(names)))
    default:
      throw CommandFault(.badInput, .ambiguousListName(name, found.map(\.uri)))
    }
  }

  /// The starter pack that somebody names by its AT-URI or the URL of its page.
  ///
  /// - Throws: ``CommandFault`` for a text that names none.
  func starterPack(named text: String) async throws -> StarterPack {
    guard let input = try RecordInput(parsing: text), input.kind == .starterPack else {
      throw CommandFault(.badInput, .notAStarterPack(text))
    }
    return try await starterPack(input.rkey, of: try await identities.did(of: input.owner))
  }

  private func starterPack(_ rkey: RecordKey, of owner: DID) async throws -> StarterPack {
    guard let pack = try await StarterPack.read(rkey, of: owner, client: try await repository(of: owner))
    else {
      throw CommandFault(.notFound, .noStarterPack(rkey, of: owner))
    }
    return pack
  }

  /// Whether the repository of its owner holds a record.
  ///
  /// - Throws: what keeps that from being learned.
  func hasRecord(_ record: ATURI) async throws -> Bool {
    let owner = try await identities.did(of: record.authority)
    return try await RecordVersion.read(record, client: try await repository(of: owner)) != nil
  }

  /// Asks the server of somebody's repository.
  ///
  /// - Throws: ``CommandFault`` where the account names none.
  func repository(of owner: DID, by identities: IdentityDirectory? = nil) async throws -> XRPCClient {
    guard let pds = try await (identities ?? self.identities).document(of: owner).pds else {
      throw CommandFault(.notFound, .noRepository(owner))
    }
    return appview.client(ofStranger: pds, unless: named)
  }
}
