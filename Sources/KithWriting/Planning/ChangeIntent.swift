// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithLexicons
public import KithRelationships

/// A desired state of what belongs to one's own account.
public enum ChangeIntent: Sendable, Hashable {
  /// Make, remove or deduplicate the records of an edge, of any kind.
  indirect case edge(RecordEdge, EdgeChange)
  /// Mute or unmute an account or a list, which the account's AppView stores.
  case call(ViewerCall)
  /// Change one's own list.
  indirect case list(ListChange)
  /// Change friend requests, answers or the policy.
  indirect case friends(FriendChange)
  /// Delete posts, or react to them.
  indirect case posts(PostChange)
  /// Make, replace or delete own records, such as new posts.
  indirect case records(RecordChange)
  /// Change one's own profile.
  indirect case profile(ProfileEdit)

  /// The account that it is about; nil if it is about a list alone.
  public var account: DID? {
    switch self {
    case .edge(let edge, _): edge.account
    case .call(let call): call.account
    case .friends(let change): change.account
    case .list, .posts, .records, .profile: nil
    }
  }

  /// The list that it is about; nil if it is about an account alone.
  public var list: ATURI? {
    switch self {
    case .edge(let edge, _): edge.list
    case .call(let call): call.list
    case .list(let change): change.list
    case .friends, .posts, .records, .profile: nil
    }
  }

  /// The post that it is about; nil if it is about something else, or about posts that do not exist yet.
  public var post: ATURI? {
    if case .posts(let change) = self, case .post(let post) = change.subject { post } else { nil }
  }

  /// The own record that it is about; nil if it is about something else, or about new ones.
  public var record: ATURI? { if case .records(let change) = self { change.record } else { nil } }

  /// The edge of which a record is wanted; nil for any other intent.
  package var madeEdge: RecordEdge? {
    if case .edge(let edge, let wanted) = self, wanted.makesRecord { edge } else { nil }
  }

  /// The edge that is to end; nil for any other intent.
  package var removedEdge: RecordEdge? { if case .edge(let edge, .remove) = self { edge } else { nil } }

  /// The account to be followed in Bluesky's graph; nil for any other intent.
  package var followed: DID? { madeEdge?.kind == .follow ? account : nil }

  /// The account to be blocked; nil for any other intent.
  package var blocked: DID? { madeEdge?.kind == .block ? account : nil }

  /// Whether it creates a record that points to an account.
  package var makesEdge: Bool {
    if case .friends(.request) = self { true } else { madeEdge?.account != nil }
  }

  /// The name in the journal, in one to three words.
  public var title: String {
    switch self {
    case .edge(let edge, let wanted): edge.kind.title(of: wanted)
    case .call(.mute): "mute"
    case .call(.unmute): "unmute"
    case .call(.muteList): "mute list"
    case .call(.unmuteList): "unmute list"
    case .list(.create): "create list"
    case .list(.edit): "edit list"
    case .list(.delete): "delete list"
    case .list(.clear): "clear list"
    case .friends(let change): change.title
    case .posts(let change): change.title
    case .records(let change): change.title
    case .profile: "edit profile"
    }
  }

  /// Whether nothing in a step contradicts this intent.
  func agrees(with step: ChangeStep) -> Bool {
    func makes(_ collection: NSID) -> Bool? {
      let writes = step.writes.filter { $0.collection == collection }
      return writes.isEmpty ? nil : writes.contains { $0.makesRecord }
    }
    switch self {
    case .edge(let edge, .deduplicate): return makes(edge.collection) == nil
    case .edge(let edge, .remove): return makes(edge.collection) != true
    case .edge(let edge, .make), .edge(let edge, .makeAlthoughFollowed):
      return makes(edge.collection) != false && edge.kind.excluded.map { makes($0.collection) } != true
    case .call(let call): return step.call == nil || step.call == call
    case .list(.create), .list(.edit): return makes(.list) != false
    case .list(.delete): return makes(.list) != true
    case .list(.clear): return makes(.listitem) != true
    case .friends(.request): return makes(FriendRequest.collection) != false
    case .friends(.cancel): return makes(FriendRequest.collection) != true
    case .friends(.accept): return makes(FriendAnswer.collection) != false
    case .friends(.decline), .friends(.remove), .friends(.takeBack):
      return makes(FriendAnswer.collection) != true
    case .friends(.policy(_, let policy)):
      return makes(FriendPolicy.collection).map { $0 == (policy != nil) } ?? true
    case .profile: return makes(.profile) != false
    case .posts(.delete): return makes(.post) != true
    case .posts(.react(let reaction, _, _)): return makes(reaction.collection) != false
    case .posts(.takeBack(let reaction, _, _)): return makes(reaction.collection) != true
    case .records(let change): return change.collection.flatMap(makes) != !change.makesRecords
    }
  }

  /// The subjects of the steps that may carry it out, as journals store them.
  package var subjects: [ChangeStep.Subject] {
    switch self {
    case .edge(let edge, _): [ChangeStep.Subject(edge)]
    case .call(let call): [call.target]
    case .list(.create(let list, let draft)): [.listName(draft.name), .list(list)]
    case .list(let change): [.list(change.list)]
    case .friends(let change): [.account(change.account)]
    case .posts(let change): [change.subject]
    case .records(let change): [change.subject]
    case .profile: [.profile]
    }
  }

  /// The subjects whose history matters to it: its own, and the list that it adds a member to.
  var subjectsOfHistory: [ChangeStep.Subject] {
    if let edge = madeEdge, edge.kind.target == .member, let list = edge.list {
      return subjects + [.list(list)]
    }
    return subjects
  }

  /// The facts needed to plan it.
  package var needs: Set<SubjectFacts.Part> {
    switch self {
    case .edge(let edge, let wanted): edge.kind.needs(for: wanted)
    case .call(.mute), .call(.unmute): [.mutes]
    case .call(.muteList), .call(.unmuteList): [.listMutes]
    case .list(let change): change.needs
    case .friends(let change): change.needs
    case .posts(let change): change.needs
    case .records(let change): change.record == nil ? [] : [.named]
    case .profile: [.records(.profile)]
    }
  }

  /// The own records that are looked up by their names.
  var recordsNeeded: Set<RecordName> {
    switch self {
    case .posts(let change): change.records
    case .records(let change): Set([change.record?.recordName].compactMap(\.self))
    default: []
    }
  }
}

/// The title and what it is about: `follow did:plc:b`.
extension ChangeIntent: CustomStringConvertible {
  public var description: String {
    let subjects: [(any CustomStringConvertible)?] = [account, list, post ?? record]
    return ([title] + subjects.compactMap { $0.map { "\($0)" } }).joined(separator: " ")
  }
}

/// How the records of an edge are changed.
public enum EdgeChange: String, Sendable, Hashable {
  /// Have a record of the edge. A block also ends the follow of its account. A followed account is not put on a moderation
  /// list.
  case make
  /// As ``make``, but a followed account may be put on a moderation list.
  case makeAlthoughFollowed
  /// Delete every record of the edge (Q16).
  case remove
  /// Keep the oldest record of the edge, and delete its duplicates (Q16).
  case deduplicate

  /// Whether a record is made where there is none.
  package var makesRecord: Bool {
    switch self {
    case .make, .makeAlthoughFollowed: true
    case .remove, .deduplicate: false
    }
  }
}

extension ChangeIntent {
  /// Have a record of an edge, of whatever kind.
  public static func make(_ edge: RecordEdge) -> ChangeIntent { .edge(edge, .make) }

  /// Delete every record of an edge.
  public static func remove(_ edge: RecordEdge) -> ChangeIntent { .edge(edge, .remove) }

  /// Keep the oldest record of an edge, and delete its duplicates (Q16).
  public static func deduplicate(_ edge: RecordEdge) -> ChangeIntent { .edge(edge, .deduplicate) }

  /// Follow the account in Bluesky's graph.
  public static func follow(_ account: DID) -> ChangeIntent { .follow(account, in: .bluesky) }

  /// Follow the account in the graph of an app.
  public static func follow(_ account: DID, in graph: FollowGraph) -> ChangeIntent {
    .make(.follow(account, in: graph))
  }

  /// Unfollow the account in Bluesky's graph, deleting every follow record of it (Q16).
  public static func unfollow(_ account: DID) -> ChangeIntent { .unfollow(account, in: .bluesky) }

  /// Unfollow the account in the graph of an app, deleting every record of it.
  public static func unfollow(_ account: DID, in graph: FollowGraph) -> ChangeIntent {
    .remove(.follow(account, in: graph))
  }

  /// Block the account and unfollow it.
  public static func block(_ account: DID) -> ChangeIntent { .make(.block(account)) }

  /// Remove the direct block of the account; a list may still block it.
  public static func unblock(_ account: DID) -> ChangeIntent { .remove(.block(account)) }

  /// Block all members of the list.
  public static func blockList(_ list: ATURI) -> ChangeIntent { .make(.blockOfList(list)) }

  /// Unblock the list, deleting every block record of it.
  public static func unblockList(_ list: ATURI) -> ChangeIntent { .remove(.blockOfList(list)) }

  /// Add the account to one's own list.
  ///
  /// - Parameter allowsFollowed: whether a followed account may be added to a moderation list.
  public static func add(_ account: DID, to list: ATURI, allowsFollowed: Bool = false) -> ChangeIntent {
    .edge(.member(account, of: list), allowsFollowed ? .makeAlthoughFollowed : .make)
  }

  /// Remove the account from one's own list, deleting every record of it (Q16).
  public static func remove(_ account: DID, from list: ATURI) -> ChangeIntent {
    .remove(.member(account, of: list))
  }

  /// Mute the account, replacing any mute that it has (Q9).
  public static func mute(_ account: DID, _ scope: MuteScope) -> ChangeIntent { .call(.mute(account, scope)) }

  /// Remove the direct mute of the account; a list may still mute it.
  public static func unmute(_ account: DID) -> ChangeIntent { .call(.unmute(account)) }

  /// Mute all members of the list.
  public static func muteList(_ list: ATURI) -> ChangeIntent { .call(.muteList(list)) }

  /// Unmute the list.
  public static func unmuteList(_ list: ATURI) -> ChangeIntent { .call(.unmuteList(list)) }

  /// The graph whose follow it makes or removes; nil for any other change.
  public var graph: FollowGraph? { (madeEdge ?? removedEdge).flatMap { FollowGraph($0.collection) } }
}

extension ChangeIntent {
  /// Creates the intent that fixes a finding; nil if there is none.
  ///
  /// - Parameter account: the account whose records were examined.
  package init?(mending finding: AuditFinding, of account: DID) {
    switch finding.kind {
    case .duplicate:
      guard let edge = finding.edge else { return nil }
      self = .deduplicate(edge)
    case .selfEdge:
      self = finding.records.first?.collection == .block ? .unblock(account) : .unfollow(account)
    case .deleted, .suspended, .deactivated, .inactive, .blocker, .blocked:
      guard let subject = finding.subject?.account else { return nil }
      self = .unfollow(subject)
    case .deadListBlock:
      guard let list = finding.list else { return nil }
      self = .unblockList(list)
    case .orphanMembers:
      guard let list = finding.list, list.authority == .did(account) else { return nil }
      self = .list(.clear(list))
    case .ghost, .unindexed, .malformed, .status, .handle, .pds, .clock, .subscription, .onList: return nil
    }
  }
}

/// A desired state of one's own list.
public enum ListChange: Sendable, Hashable {
  /// Create the list under this URI, which must name a record of the account that does not exist yet.
  case create(ATURI, ListDraft)
  /// Change the name or the description of the list.
  case edit(ATURI, ListEdit)
  /// Delete the list, and with it the account's own records that put accounts on it or block it.
  case delete(ATURI)
  /// Delete the account's own records that put accounts on a missing list, or block it. Refused if the list
  /// exists.
  case clear(ATURI)

  /// The list that it is about.
  public var list: ATURI {
    switch self {
    case .create(let list, _), .edit(let list, _), .delete(let list), .clear(let list): list
    }
  }

  /// The facts needed to plan it.
  package var needs: Set<SubjectFacts.Part> {
    switch self {
    case .create, .edit: [.lists]
    case .delete, .clear:
      Set(EdgeKind.known.filter(\.goesWithItsList).map(SubjectFacts.Part.edges)).union([.lists])
    }
  }
}

/// The content of a new list.
public struct ListDraft: Sendable, Hashable {
  /// The name: 1 to 64 bytes, by the lexicon.
  public var name: String
  /// The purpose: a reading list, a moderation list, or a reference list.
  public var purpose: ListPurpose
  /// The description: at most 300 graphemes; nil for none.
  public var description: String?
  /// Whether the texts are those of a record, which are taken over as another program wrote them.
  package private(set) var isCopy = false

  /// Creates a draft, whose texts lose a byte order mark at their beginning. It is validated against the lexicon when
  /// it is planned.
  public init(name: String, purpose: ListPurpose, description: String? = nil) {
    self.name = PlainText(name).text
    self.purpose = purpose
    self.description = description.map { PlainText($0).text }
  }

  /// Creates a draft of a list that is there, or was.
  package init(copying name: String, purpose: ListPurpose, description: String? = nil) {
    (self.name, self.purpose, self.description, isCopy) = (name, purpose, description, true)
  }

  /// Whether a list matches the draft; a draft without a description matches any description.
  package func isMet(by list: OwnList) -> Bool {
    guard list.name == name, list.purpose == purpose else { return false }
    let there = list.description ?? ""
    return description == nil || description == there || !isCopy && description == PlainText(there).text
  }

  /// Checks the draft against the lexicon, and a new text for control characters, which apps do not show.
  func validate() throws(ValidationError) {
    if !isCopy {
      _ = try PlainText.published(name, as: "name")
      if let description { _ = try PlainText.published(description, as: "description") }
    }
    try record(createdAt: Datetime(at: .epoch)).validate()
  }

  /// Returns the record for the list.
  func record(createdAt: Datetime) -> App.Bsky.Graph.List {
    App.Bsky.Graph.List(purpose: purpose.type, name: name, description: description, createdAt: createdAt)
  }
}

/// The new content of a list.
///
/// The purpose cannot be changed: accounts on a reading list would suddenly be moderated.
public struct ListEdit: Sendable, Hashable {
  /// The new name; nil to keep it.
  public var name: String?
  /// The new description, empty to remove it; nil to keep it.
  public var description: String?

  /// Creates an edit, whose texts lose a byte order mark at their beginning.
  public init(name: String? = nil, description: String? = nil) {
    self.name = name.map { PlainText($0).text }
    self.description = description.map { PlainText($0).text }
  }

  /// Checks the new members only. The others stay as their author wrote them, valid or not; what to accept of
  /// them is up to the server.
  func validate() throws(ValidationError) {
    try ListDraft(name: name ?? "unchanged", purpose: .curate, description: description).validate()
  }
}
