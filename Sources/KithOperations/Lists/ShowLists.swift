// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithRelationships

/// Shows the lists of an account.
public struct ShowLists: KithOperation {
  public static let name = "showLists"

  /// The account; nil for the one to act as.
  public var actor: ATIdentifier?

  public init(of actor: ATIdentifier? = nil) { self.actor = actor }

  /// - Throws: `SessionError` if an account has to be signed in.
  public func run(in workspace: Workspace, _ report: Reporter<ListRow>) async throws -> RowsOutcome {
    let account = try await actor == nil ? workspace.account() : workspace.accountIfAny()
    return await report.deliver { rows in
      if let account, actor.map(account.isNamed) ?? true {
        for row in try await ownRows(of: account, workspace, report.note) { try await rows.append(row) }
      } else if let actor {
        let listings = Listings(account?.appview ?? workspace.appview)
        for try await list in listings.lists(of: actor) { try await rows.append(ListRow(list)) }
      }
    }
  }

  /// The account's own lists. Missing data of the AppView is left out, because the lists are known without it.
  private func ownRows(
    of account: AuthorizedAccount, _ workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> [ListRow] {
    let lists = try await workspace.ownLists(of: account)
    UnreadableRecords(.list, note).add(lists.unreadable)
    guard !lists.all.isEmpty else { return [] }
    var shown: [ATURI: ListSummary] = [:]
    do {
      for try await list in Listings(account.appview).lists(of: .did(account.did)) { shown[list.uri] = list }
    } catch let error as RelationshipError {
      note(.membersNotCounted(error))
    }
    // The AppView does not show reference lists, on which starter packs are built.
    let counts =
      lists.all.allSatisfy { shown[$0.uri]?.members != nil }
      ? [:] : try await membersCounted(in: account, note)
    return lists.all.map { list in
      var row = ListRow(list, of: account.did, shown[list.uri])
      row.ownerHandle = row.ownerHandle ?? account.handle
      row.members = row.members ?? counts?[list.uri] ?? (counts == nil ? nil : 0)
      return row
    }
  }
}

extension ShowLists {
  /// The most records that are read to count members: 50 calls.
  private static let mostCounted = 5_000

  /// The number of members of each list, by the records of its owner; nil if they cannot be read, or are too many to
  /// read them for a number.
  private func membersCounted(
    in account: AuthorizedAccount, _ note: (Note) -> Void
  ) async throws -> [ATURI: Int]? {
    var members: [ATURI: Set<DID>] = [:]
    var count = 0
    do {
      for try await row in RecordReader(of: account.did, client: account.repository).edges(of: .listitem) {
        count += 1
        if count > Self.mostCounted { return nil }
        guard case .success(let found) = row, let list = found.edge.list, let member = found.edge.account
        else {
          continue
        }
        members[list, default: []].insert(member)
      }
    } catch {
      guard let cause = RelationshipError.wrapping(error) else { throw error }
      note(.membersNotCounted(cause))
      return nil
    }
    return members.mapValues(\.count)
  }
}

/// Shows the starter packs of an account.
public struct ShowStarterPacks: KithOperation {
  public static let name = "showStarterPacks"

  /// The account; nil for the one to act as.
  public var actor: ATIdentifier?

  public init(of actor: ATIdentifier? = nil) { self.actor = actor }

  /// - Throws: `SessionError` if an account has to be signed in; errors of resolution.
  public func run(in workspace: Workspace, _ report: Reporter<StarterPackRow>) async throws -> RowsOutcome {
    let owner: DID
    var handle: Handle?
    if let actor {
      owner = try await workspace.identities.did(of: actor)
      if case .handle(let named) = actor { handle = named }
    } else {
      let account = try await workspace.account()
      (owner, handle) = (account.did, account.handle)
    }
    let client = try await workspace.repository(of: owner)
    let unreadable = UnreadableRecords(.starterPack, report.note)
    defer { unreadable.finish() }
    return await report.deliver { rows in
      for try await row in RecordReader(of: owner, client: client).starterPacks() {
        switch row {
        case .success(let pack):
          try await rows.append(StarterPackRow(owner: owner, pack: pack, ownerHandle: handle))
        case .failure(let record): unreadable.add(record)
        }
      }
    }
  }
}
