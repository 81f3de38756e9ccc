// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithRelationships

/// Lists the members of a list as they are read: those of an own list from its repository, where they are complete and
/// current, and those of any other as the AppView shows them.
public struct ListMembers: KithOperation {
  public static let name = "listMembers"

  /// The list.
  public var list: ATURI
  /// Whether handles are looked up that the listing does not contain.
  public var wantsHandles: Bool
  /// Whether the status of each account is looked up.
  public var wantsStatus = false
  /// Whether rows say how the signed-in account and each member are related: the answers bring it.
  public var wantsRelationship = false
  /// The most rows; nil for all.
  public var limit: Int?

  public init(of list: ATURI, withHandles wantsHandles: Bool) {
    self.list = list
    self.wantsHandles = wantsHandles
  }

  /// Whether as many members were handed over as are wanted.
  private func isFull(_ rows: RowBatch<MemberRow>) -> Bool { rows.count >= limit ?? .max }

  /// How a listing ended.
  public struct Outcome: OutcomeOfRows {
    /// How the rows ended; interrupted by ``OperationError`` `noSuchList` for an own list that does not exist.
    public let rows: RowsOutcome
    /// Why members may be missing because of an error; nil if none are.
    public let doubt: (any Error)?

    public var ending: Ending {
      Ending(rows, failure: FailureKind(worstOf: [doubt].compactMap(\.self), otherwise: .unavailable))
    }
    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "doubt": .cause(doubt),
      ])
    }
  }

  /// - Throws: `SessionError` if relationships are wanted and no account is signed in.
  public func run(in workspace: Workspace, _ report: Reporter<MemberRow>) async throws -> Outcome {
    let account = try await wantsRelationship ? workspace.account() : workspace.accountIfAny()
    var doubt: (any Error)?
    let rows = await report.deliver { rows in
      if let account, list.authority == .did(account.did) {
        try await listOwn(of: account, workspace, report.note, to: &rows)
      } else {
        let listings = workspace.listings(
          by: account?.appview ?? workspace.appview, as: account?.did, usingCache: true)
        doubt = try await listShown(by: listings, report.note, to: &rows)
      }
    }
    return Outcome(rows: rows, doubt: doubt)
  }

  /// Lists the members that the AppView shows, and reports how many it does not show.
  private func listShown(
    by listings: Listings, _ note: (Note) -> Void, to rows: inout RowBatch<MemberRow>
  ) async throws -> (any Error)? {
    let listing = listings.members(of: list)
    var members = listing.makeAsyncIterator()
    var fault: (any Error)?
    while true {
      // There may be more, so nothing is known about the whole.
      if isFull(rows) { return members.coverage.doubt ?? fault }
      guard let part = try await members.nextPart() else { break }
      let (current, failure) = try await wantsRelationship ? listings.current(part) : (part, nil)
      fault = fault ?? failure
      for member in current where !isFull(rows) {
        // What the AppView lists, it shows.
        try await rows.append(row(wantsStatus ? member.with(member.listedStatus) : member))
      }
      try await rows.flush()
    }
    note(.listed(ListingReport(listing.listing, members.coverage)))
    return members.coverage.doubt ?? fault
  }

  private func listOwn(
    of account: AuthorizedAccount, _ workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void,
    to rows: inout RowBatch<MemberRow>
  ) async throws {
    let listings = workspace.listings(by: account.appview, as: account.did)
    var names: Names? =
      wantsStatus
      ? .statuses(listings.statuses)
      : wantsHandles || wantsRelationship ? .views(AccountViews(client: account.appview)) : nil
    var waiting: [AccountView] = []
    var count = 0
    let unreadable = UnreadableRecords(.member, note)
    defer { unreadable.finish() }
    for try await row in RecordReader(of: account.did, client: account.repository).members(of: list) {
      count += 1
      switch row {
      case .failure(let record): unreadable.add(record)
      case .success(let member): waiting.append(member)
      }
      let isEnough = rows.count + waiting.count >= limit ?? .max
      guard isEnough || waiting.count == AccountViews.batchSize else { continue }
      try await hand(waiting, &names, listings, workspace, note, to: &rows)
      waiting = []
      if isEnough { break }
    }
    try await hand(waiting, &names, listings, workspace, note, to: &rows)
    if count == 0, try await workspace.ownLists(of: account)[list] == nil {
      throw OperationError.noSuchList(list, isOwn: true)
    }
  }

  private func row(_ member: AccountView) -> MemberRow {
    MemberRow(list: list, member: member, asksRelationship: wantsRelationship)
  }

  /// What is looked up about members.
  private enum Names {
    case views(AccountViews)
    case statuses(AccountStatuses)

    func views(of accounts: [DID]) async throws -> [DID: AccountView] {
      switch self {
      case .views(let views): return try await views.views(of: accounts)
      case .statuses(let statuses):
        let found = try await statuses.survey(accounts)
        if let fault = found.values.lazy.compactMap({ $0.outcome.fault }).first,
          found.values.allSatisfy({ $0.outcome.evidence.status == nil })
        {
          throw fault
        }
        return Dictionary(
          uniqueKeysWithValues: found.map { account, found in
            (account, (found.view ?? AccountView(account)).with(found.outcome.evidence.status))
          })
      }
    }
  }

  /// Hands over members with their names; after names could not be looked up once, without.
  private func hand(
    _ members: [AccountView], _ names: inout Names?, _ listings: Listings, _ workspace: Workspace,
    _ note: (Note) -> Void, to rows: inout RowBatch<MemberRow>
  ) async throws {
    var views: [DID: AccountView] = [:]
    if !members.isEmpty, let known = names {
      do { views = try await known.views(of: members.map(\.account)) } catch let error as RelationshipError {
        note(.namesNotLearned(error))
        names = nil
      }
    }
    // Accounts that no server shows have the names of earlier runs.
    let unnamed = members.map(\.account).filter { views[$0]?.handle == nil }
    views.merge(try await workspace.names().views(of: unnamed, asking: false)) { $0.named(by: $1) }
    if wantsRelationship {
      let (current, fault) = try await listings.current(Array(views.values))
      if let fault { note(.namesNotLearned(fault)) }
      for view in current { views[view.account] = view }
    }
    for member in members {
      let view = views[member.account]
      try await rows.append(row(member.named(by: view).with(view?.status)))
    }
    try await rows.flush()
  }
}
