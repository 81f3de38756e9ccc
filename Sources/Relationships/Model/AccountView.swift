// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// An account with its names, and where a listing brought it, with the record that puts it there.
///
/// What is nil was not learned: an AppView gives no names of an account that is suspended, deactivated or gone.
public struct AccountView: Sendable, Hashable {
  /// One reference, for a view goes along with its account through many hands.
  private let shared: Shared

  /// Who it is.
  public var account: DID { shared.facts.account }
  /// Its handle; `handle.invalid` where it is broken.
  public var handle: Handle? { shared.facts.handle }
  /// What it calls itself. A stranger's words: not fit for a terminal as they are.
  public var displayName: String? { shared.facts.displayName }
  /// What its profile says; a stranger's words too.
  public var description: String? { shared.facts.description }
  /// The record that makes the edge: a follow, a block, a list item.
  public var record: ATURI? { shared.facts.record }
  /// When the edge was made, by the word of whoever made it: `createdAt` of the record.
  public var since: Datetime? { shared.facts.since }

  /// Puts together what is known of an account.
  public init(
    _ account: DID, handle: Handle? = nil, displayName: String? = nil, description: String? = nil,
    record: ATURI? = nil, since: Datetime? = nil
  ) {
    shared = Shared(
      Facts(
        account: account, handle: handle, displayName: displayName, description: description, record: record,
        since: since))
  }

  /// The same edge, with the names that another view has.
  public func named(by view: AccountView?) -> AccountView {
    AccountView(
      account, handle: view?.handle ?? handle, displayName: view?.displayName ?? displayName,
      description: view?.description ?? description, record: record, since: since)
  }

  private struct Facts: Sendable, Hashable {
    let account: DID
    let handle: Handle?
    let displayName: String?
    let description: String?
    let record: ATURI?
    let since: Datetime?
  }

  private final class Shared: Sendable, Hashable {
    let facts: Facts

    init(_ facts: Facts) { self.facts = facts }

    static func == (lhs: Shared, rhs: Shared) -> Bool { lhs === rhs || lhs.facts == rhs.facts }
    func hash(into hasher: inout Hasher) { hasher.combine(facts) }
  }
}
