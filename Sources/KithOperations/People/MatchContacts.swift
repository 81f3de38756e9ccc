// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithRelationships

/// Finds accounts of contacts by their names elsewhere. Only signals are found, never a proof.
public struct MatchContacts: EstimatedOperation {
  public static let name = "matchContacts"

  /// How many accounts of a search are compared with a contact.
  private static let candidates = 10
  /// Contacts that are looked for together.
  private static let batchSize = 25

  public var contacts: [Contact]

  public init(_ contacts: [Contact]) { self.contacts = contacts }

  public typealias Outcome = ContactsMatched

  /// - Throws: what the signed-in account throws; `CancellationError`.
  public func run(in workspace: Workspace, _ report: Reporter<ContactRow>) async throws -> Outcome {
    let viewer = try await workspace.accountIfAny()
    let client = viewer?.appview ?? workspace.appview
    let listings = workspace.listings(by: client, as: viewer?.did, usingCache: true)
    let progress = ReadingProgress(report)
    var outcome = Outcome(contacts: contacts.count)
    var fault: (any Error)?
    let rows = await report.deliver { rows in
      for batch in contacts.parts(of: Self.batchSize) {
        let found = try await candidates(for: batch, client, workspace)
        let accounts = Array(Set(found.flatMap { $0.accounts ?? [] }))
        let views = try await AccountViews(client: client).outcomes(
          of: accounts, concurrency: workspace.concurrency)
        let current = try await listings.current(views.values.compactMap { try $0.get() })
        fault = fault ?? current.fault
        let shown = Dictionary(current.views.map { ($0.account, $0) }) { first, _ in first }
        for (contact, found) in zip(batch, found) {
          fault = fault ?? found.fault
          guard let accounts = found.accounts else {
            outcome.unknown += 1
            continue
          }
          for row in judge(
            contact, accounts.compactMap { shown[$0] }.filter { $0.account != viewer?.did }, &outcome)
          {
            try await rows.append(row)
          }
        }
        progress.advance(by: batch.count)
        try await rows.flush()
      }
    }
    outcome.rows = rows.marked(interruptedBy: fault)
    return outcome
  }

  /// The accounts that may be contacts: those that they name, those of their bridged handles, and what a search for their names
  /// finds.
  private func candidates(
    for contacts: [Contact], _ client: XRPCClient, _ workspace: Workspace
  ) async throws -> [(accounts: [DID]?, fault: (any Error)?)] {
    let handles = contacts.compactMap { $0.account?.handle ?? $0.bridgedHandle }
    let found = try await workspace.cachedIdentities.dids(of: handles)
    let listings = Listings(client)
    return try await contacts.concurrentMap(atMost: workspace.concurrency) { contact in
      if let account = contact.account { return Self.named(account, found) }
      var accounts: [DID] = []
      if let handle = contact.bridgedHandle, case .success(let did)? = found[handle] {
        accounts.append(did)
      }
      do {
        accounts += try await Self.search(contact.name, listings)
        if let name = contact.displayName, name.lowercased() != contact.name {
          accounts += try await Self.search(name, listings)
        }
      } catch {
        guard let fault = RelationshipError.wrapping(error) else { throw error }
        return (nil, fault)
      }
      return (accounts, nil)
    }
  }

  /// The account that a contact is; none for a handle that leads to no account.
  private static func named(
    _ account: ATIdentifier, _ found: [Handle: Result<DID, IdentityError>]
  ) -> (accounts: [DID]?, fault: (any Error)?) {
    switch account {
    case .did(let did): return ([did], nil)
    case .handle(let handle):
      switch found[handle] {
      case .success(let did)?: return ([did], nil)
      case .failure(let error)?: return error.code == .notFound ? ([], nil) : (nil, error)
      case nil: return ([], nil)
      }
    }
  }

  private static func search(_ text: String, _ listings: Listings) async throws -> [DID] {
    var pages = listings.search(text, most: candidates).makeAsyncIterator()
    return try await pages.nextPage()?.map(\.account) ?? []
  }

  /// The rows of a contact, the accounts with the most signals first.
  private func judge(_ contact: Contact, _ views: [AccountView], _ outcome: inout Outcome) -> [ContactRow] {
    var seen: Set<DID> = []
    let found = views.filter { seen.insert($0.account).inserted && $0.relationship?.isBlocked != true }
      .map { (view: $0, signals: contact.signals(of: $0)) }.filter { !$0.signals.isEmpty }
      .enumerated().sorted {
        ($1.element.signals.count, $0.offset) < ($0.element.signals.count, $1.offset)
      }.map(\.element)
    guard let best = found.first else { return [] }
    outcome.matched += 1
    let isClear = Contact.areEnough(best.signals)
    let isAlone = found.dropFirst().allSatisfy { $0.signals.count < best.signals.count }
    if isClear, !isAlone { outcome.ambiguous += 1 }
    let isFollowed = best.view.relationship?.isFollowing == true
    if isClear, isAlone { if isFollowed { outcome.followed += 1 } else { outcome.selected += 1 } }
    return found.enumerated().map { place, match in
      ContactRow(
        contact: contact, view: match.view, signals: match.signals,
        isSelected: place == 0 && isClear && isAlone && !isFollowed)
    }
  }

  public func cost(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    var plan = CostPlan(concurrency: workspace.concurrency)
    plan.targets = contacts.count
    let others = contacts.filter { $0.account == nil }
    plan.addContacts(
      contacts.count, inPartsOf: Self.batchSize, accounts: contacts.count { $0.account?.did != nil },
      handles: contacts.count { ($0.account?.handle ?? $0.bridgedHandle) != nil },
      searches: others.count + others.count { $0.displayName != nil }, candidates: Self.candidates)
    return plan
  }
}

extension ATIdentifier {
  fileprivate var did: DID? { if case .did(let did) = self { did } else { nil } }
  fileprivate var handle: Handle? { if case .handle(let handle) = self { handle } else { nil } }
}
