// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// One relationship of an account, in a form that can be exported and applied to any account.
///
/// Record keys and dates are left out, because they belong to the repository that the relationship comes
/// from. Lists are named by their URI there.
public enum PortableRelationship: Sendable, Hashable {
  /// The kind of a relationship.
  public struct Kind: RawRepresentable, Sendable, Hashable, CaseIterable {
    /// A word; for other kinds of edges and records their collection.
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    /// An account is followed.
    public static let follow = Kind(rawValue: "follow")
    /// An account is blocked.
    public static let block = Kind(rawValue: "block")
    /// An account is fully muted.
    public static let mute = Kind(rawValue: "mute")
    /// A list exists.
    public static let list = Kind(rawValue: "list")
    /// An account is on a list.
    public static let member = Kind(rawValue: "member")
    /// All members of a list are blocked.
    public static let listBlock = Kind(rawValue: "list-block")
    /// All members of a list are muted.
    public static let listMute = Kind(rawValue: "list-mute")

    /// A request to be friends, or for permission to follow.
    public static let friendRequest = Kind(rawValue: "friend-request")
    /// The acceptance of a request.
    public static let friendAnswer = Kind(rawValue: "friend-answer")
    /// On which terms the account takes part in requests.
    public static let friendPolicy = Kind(rawValue: "friend-policy")
    /// A text of the account's profile.
    public static let profile = Kind(rawValue: "profile")

    /// The kind of an edge.
    package init(_ edge: EdgeKind) {
      switch edge {
      case .follow: self = .follow
      case .block: self = .block
      case .listblock: self = .listBlock
      case .listitem: self = .member
      default: self.init(rawValue: edge.collection.description)
      }
    }

    /// The kinds that have a word.
    public static let allCases: [Kind] = [
      follow, block, mute, list, member, listBlock, listMute, friendRequest, friendAnswer, friendPolicy,
      profile,
    ]

    /// The kinds that speak for the account: consents, terms, and what it says about itself. All others are about what it
    /// does with other accounts.
    package static let statements: [Kind] = [friendRequest, friendAnswer, friendPolicy, profile]

    /// Whether it is about friends.
    public var isOfFriends: Bool { [.friendRequest, .friendAnswer, .friendPolicy].contains(self) }
  }

  /// An edge, of whatever kind.
  case edge(RecordEdge)
  /// An account is fully muted.
  case mute(DID)
  /// All members of a list are muted.
  case listMute(ATURI)
  /// A list exists.
  case list(ATURI, ListDraft)
  /// A request to an account.
  case friendRequest(DID, FriendRequestDraft)
  /// The acceptance of a request of an account, by the key of the record, which names the version of the request.
  case friendAnswer(DID, RecordKey)
  /// On which terms the account takes part.
  case friendPolicy(FriendPolicy)
  /// Texts of the account's profile.
  case profile(ProfileEdit)
  /// A record of a kind that Kith has no rules for, by its URI in the repository that it comes from. It keeps its key.
  case record(ATURI, DataObject)

  /// An account is followed, in the graph of an app.
  public static func follow(_ account: DID, in graph: FollowGraph = .bluesky) -> PortableRelationship {
    .edge(.follow(account, in: graph))
  }

  /// An account is blocked.
  public static func block(_ account: DID) -> PortableRelationship { .edge(.block(account)) }

  /// An account is on a list.
  public static func member(_ account: DID, of list: ATURI) -> PortableRelationship {
    .edge(.member(account, of: list))
  }

  /// All members of a list are blocked.
  public static func listBlock(_ list: ATURI) -> PortableRelationship { .edge(.blockOfList(list)) }

  /// The kind.
  public var kind: Kind {
    switch self {
    case .edge(let edge): Kind(edge.kind)
    case .mute: .mute
    case .listMute: .listMute
    case .list: .list
    case .friendRequest: .friendRequest
    case .friendAnswer: .friendAnswer
    case .friendPolicy: .friendPolicy
    case .profile: .profile
    case .record(let record, _): Kind(rawValue: record.collection?.description ?? "")
    }
  }
}

/// Turns relationships of one account into changes of another account, or of the same one.
///
/// The account's own lists stay as they are. Any other list in the file is mapped to the account's own list
/// with the same name and purpose, or to a new one: its members are added there, and blocks and mutes apply
/// to that list. Apply ``PlannedChange/keepingFollows(of:)`` to the plan, so that accounts that were both
/// followed and blocked are so again.
package struct RelationshipTransfer: Sendable {
  private let account: DID
  /// The target list, by its URI in the file.
  private var lists: [ATURI: ATURI] = [:]
  private var drafts: [ATURI: ListDraft] = [:]
  /// Accounts that are followed in the file.
  public private(set) var followed: Set<DID> = []

  /// Maps the lists.
  ///
  /// - Parameters:
  ///   - relationships: everything to be transferred.
  ///   - known: the account's own lists.
  ///   - newList: returns an unused list URI.
  package init(
    of relationships: some Sequence<PortableRelationship>, to account: DID, owning known: OwnLists,
    newList: () -> ATURI
  ) {
    self.account = account
    // The first list with this name and purpose: the account's, else the file's.
    var same: [ListKind: ATURI] = [:]
    for list in known.all {
      lists[list.uri] = list.uri
      guard let kind = ListKind(list), same[kind] == nil else { continue }
      same[kind] = list.uri
    }
    var made: [ATURI: ListDraft] = [:]
    for relationship in relationships {
      switch relationship {
      case .edge(let edge): if edge.kind == .follow, let account = edge.account { followed.insert(account) }
      case .list(let list, let draft) where drafts[list] == nil:
        let kind = ListKind(name: draft.name, purpose: draft.purpose)
        if lists[list] == nil { lists[list] = same[kind] }
        if let own = lists[list], let known = known[own] {
          // An existing own list is not overwritten.
          var kept = draft
          (kept.name, kept.purpose) = (known.name ?? draft.name, known.purpose ?? draft.purpose)
          kept.description = nil
          drafts[list] = kept
        } else {
          let own = lists[list] ?? newList()
          lists[list] = own
          if made[own] == nil { (made[own], same[kind]) = (draft, same[kind] ?? own) }
          drafts[list] = made[own]
        }
      case .list, .mute, .listMute, .friendRequest, .friendAnswer, .friendPolicy, .profile, .record: break
      }
    }
  }

  /// Returns the change for a relationship; nil for a member of an unknown list.
  ///
  /// - Parameter allowsFollowed: whether followed accounts may be added to moderation lists.
  package func change(
    for relationship: PortableRelationship, allowsFollowed: Bool = false
  ) -> ChangeIntent? {
    switch relationship {
    case .edge(let edge):
      let wanted = allowsFollowed && edge.kind == .listitem ? EdgeChange.makeAlthoughFollowed : .make
      guard let list = edge.list else { return .edge(edge, wanted) }
      let own = lists[list] ?? (edge.kind.target == .member ? nil : list)
      return own.map { .edge(edge.naming($0), wanted) }
    case .mute(let account): return .mute(account, .everything)
    case .list(let list, _):
      guard let own = lists[list], let draft = drafts[list] else { return nil }
      return .list(.create(own, draft))
    case .listMute(let list): return .muteList(lists[list] ?? list)
    case .friendRequest(let subject, let draft): return .friends(.request(subject, draft))
    case .friendPolicy(let policy): return .friends(.policy(account, policy))
    case .profile(let edit): return .profile(edit)
    case .record(let record, let fields):
      return record.recordName.map { name in
        .records(
          .put(
            ATURI(authority: .did(account), collection: name.collection, recordKey: name.rkey), fields))
      }
    // What it accepts is only known when the request was read.
    case .friendAnswer(let requester, _): return .friends(.accept(requester, .unknown))
    }
  }
}

/// What makes lists of two accounts the same.
private struct ListKind: Hashable {
  let name: String
  let purpose: ListPurpose

  init(name: String, purpose: ListPurpose) {
    self.name = name
    self.purpose = purpose
  }

  init?(_ list: OwnList) {
    guard let name = list.name, let purpose = list.purpose else { return nil }
    self.init(name: name, purpose: purpose)
  }
}

extension PlannedChange {
  /// Keeps existing records instead of replacing their content.
  package func keepingRecords() -> PlannedChange {
    guard case .records(.put) = change, steps.flatMap(\.writes).contains(where: { !$0.isCreation }) else {
      return self
    }
    return PlannedChange(change, .holds, notes: notes + [.recordStays])
  }

  /// Removes the unfollow from a block if the follow is to be kept.
  ///
  /// - Parameter followed: the accounts to be followed.
  package func keepingFollows(of followed: Set<DID>) -> PlannedChange {
    guard let subject = change.blocked, followed.contains(subject), case .steps = outcome else { return self }
    var planned = self
    let writes = steps.flatMap(\.writes).filter { $0.collection != .follow }
    planned.outcome = writes.isEmpty ? .holds : .steps(ChangeStep.steps(.account(subject), writes))
    return planned
  }
}
