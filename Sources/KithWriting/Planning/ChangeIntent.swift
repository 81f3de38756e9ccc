// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithLexicons
public import KithRelationships

/// A desired state between one's own account and another one, or a list.
public enum ChangeIntent: Sendable, Hashable {
  /// Follow the account.
  case follow(DID)
  /// Unfollow the account, deleting every follow record of it (Q16).
  case unfollow(DID)
  /// Block the account and unfollow it.
  case block(DID)
  /// Remove the direct block of the account; a list may still block it.
  case unblock(DID)
  /// Mute the account, replacing any mute that it has (Q9).
  case mute(DID, MuteScope)
  /// Remove the direct mute of the account; a list may still mute it.
  case unmute(DID)
  /// Mute all members of the list.
  case muteList(ATURI)
  /// Unmute the list.
  case unmuteList(ATURI)
  /// Block all members of the list.
  case blockList(ATURI)
  /// Unblock the list, deleting every block record of it.
  case unblockList(ATURI)
  /// Have a record of an edge, of whatever kind. Follows, blocks and members of lists are made by the rules of their own
  /// intents.
  indirect case make(RecordEdge)
  /// Delete every record of an edge.
  indirect case remove(RecordEdge)
  /// Keep the oldest record of an edge, and delete its duplicates (Q16).
  indirect case deduplicate(RecordEdge)
  /// Change one's own list, or its members.
  indirect case list(ListChange)
  /// Change friend requests, answers or the policy.
  indirect case friends(FriendChange)
  /// Publish or delete posts, or react to them.
  indirect case posts(PostChange)
  /// Change one's own profile.
  indirect case profile(ProfileEdit)

  /// The account that it is about; nil if it is about a list alone.
  public var account: DID? {
    switch self {
    case .follow(let account), .unfollow(let account), .block(let account), .unblock(let account),
      .mute(let account, _), .unmute(let account):
      account
    case .make(let edge), .remove(let edge), .deduplicate(let edge): edge.account
    case .list(let change): change.account
    case .friends(let change): change.account
    case .posts, .profile, .muteList, .unmuteList, .blockList, .unblockList: nil
    }
  }

  /// The list that it is about; nil if it is about an account alone.
  public var list: ATURI? {
    switch self {
    case .muteList(let list), .unmuteList(let list), .blockList(let list), .unblockList(let list): list
    case .make(let edge), .remove(let edge), .deduplicate(let edge): edge.list
    case .list(let change): change.list
    case .friends, .posts, .profile: nil
    case .follow, .unfollow, .block, .unblock, .mute, .unmute: nil
    }
  }

  /// The post that it is about; nil if it is about something else, or about posts that do not exist yet.
  public var post: ATURI? {
    if case .posts(let change) = self, case .post(let post) = change.subject { post } else { nil }
  }

  /// The intent that has its own rules for the kind of edge that this one is about; itself if no rules are known.
  package var withItsRules: ChangeIntent {
    let (edge, isMade): (RecordEdge, Bool)
    switch self {
    case .make(let made): (edge, isMade) = (made, true)
    case .remove(let removed): (edge, isMade) = (removed, false)
    default: return self
    }
    switch (edge.kind, edge.account, edge.list) {
    case (.follow, let account?, nil): return isMade ? .follow(account) : .unfollow(account)
    case (.block, let account?, nil): return isMade ? .block(account) : .unblock(account)
    case (.listblock, nil, let list?): return isMade ? .blockList(list) : .unblockList(list)
    case (.listitem, let account?, let list?):
      return .list(isMade ? .add(account, to: list) : .remove(account, from: list))
    default: return self
    }
  }

  /// Whether it creates a record that points to an account.
  package var makesEdge: Bool {
    switch self {
    case .follow, .block, .make, .list(.add), .friends(.request): true
    default: false
    }
  }

  /// The name in the journal, in one to three words.
  public var title: String {
    switch self {
    case .follow: "follow"
    case .unfollow: "unfollow"
    case .block: "block"
    case .unblock: "unblock"
    case .mute: "mute"
    case .unmute: "unmute"
    case .muteList: "mute list"
    case .unmuteList: "unmute list"
    case .blockList: "block list"
    case .unblockList: "unblock list"
    case .make(let edge): FollowGraph.isLikely(edge.collection) ? "follow" : "make edge"
    case .remove(let edge): FollowGraph.isLikely(edge.collection) ? "unfollow" : "remove edge"
    case .deduplicate: "deduplicate"
    case .list(.create): "create list"
    case .list(.edit): "edit list"
    case .list(.delete): "delete list"
    case .list(.clear): "clear list"
    case .list(.add): "add to list"
    case .list(.remove): "remove from list"
    case .friends(let change): change.title
    case .posts(let change): change.title
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
    case .follow: return makes(.follow) != false && makes(.block) != true
    case .unfollow: return makes(.follow) != true
    case .block: return makes(.block) != false && makes(.follow) != true
    case .unblock: return makes(.block) != true
    case .blockList: return makes(.listblock) != false
    case .unblockList: return makes(.listblock) != true
    case .mute(let account, let scope): return step.call == nil || step.call == .mute(account, scope)
    case .unmute(let account): return step.call == nil || step.call == .unmute(account)
    case .muteList(let list): return step.call == nil || step.call == .muteList(list)
    case .unmuteList(let list): return step.call == nil || step.call == .unmuteList(list)
    case .make(let edge): return makes(edge.collection) != false
    case .remove(let edge): return makes(edge.collection) != true
    case .deduplicate(let edge): return makes(edge.collection) == nil
    case .list(.add): return makes(.listitem) != false
    case .list(.remove): return makes(.listitem) != true
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
    case .posts(.publish): return makes(.post) != false
    case .posts(.delete): return makes(.post) != true
    case .posts(.react(let reaction, _, _)): return makes(reaction.collection) != false
    case .posts(.takeBack(let reaction, _, _)): return makes(reaction.collection) != true
    }
  }

  /// The subjects of the steps that may carry it out, as journals store them.
  package var subjects: [ChangeStep.Subject] {
    switch self {
    case .list(.create(let list, let draft)): return [.listName(draft.name), .list(list)]
    case .posts(let change): return [change.subject]
    case .profile: return [.profile]
    default: break
    }
    return (account.map(ChangeStep.Subject.account) ?? list.map(ChangeStep.Subject.list)).map { [$0] } ?? []
  }

  /// The subjects whose history matters to it: its own, and the list that it adds a member to.
  var subjectsOfHistory: [ChangeStep.Subject] {
    if case .list(.add(let account, let list, _)) = self { return [.account(account), .list(list)] }
    return subjects
  }

  /// The facts needed to plan it.
  package var needs: Set<SubjectFacts.Part> {
    switch self {
    case .follow, .unfollow: [.edges(.follow)]
    case .block: [.edges(.follow), .edges(.block)]
    case .unblock: [.edges(.block)]
    case .mute, .unmute: [.mutes]
    case .muteList, .unmuteList: [.listMutes]
    case .blockList, .unblockList: [.edges(.listblock)]
    case .make(let edge), .remove(let edge): [.edges(edge.kind)]
    case .deduplicate(let edge):
      edge.kind.target == .member ? [.lists, .edges(.listitem)] : [.edges(edge.kind)]
    case .list(let change): change.needs
    case .friends(let change): change.needs
    case .posts(let change): change.needs
    case .profile: [.records(.profile)]
    }
  }
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

/// A desired state of one's own list, or of an account on it.
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
  /// Add the account to the list. A followed account is only added to a moderation list if that is explicitly
  /// allowed.
  case add(DID, to: ATURI, allowsFollowed: Bool = false)
  /// Remove the account from the list, deleting every record of it (Q16).
  case remove(DID, from: ATURI)

  /// The list that it is about.
  public var list: ATURI {
    switch self {
    case .create(let list, _), .edit(let list, _), .delete(let list), .clear(let list), .add(_, let list, _),
      .remove(_, let list):
      list
    }
  }

  /// The account that is added or removed; nil if it is about the list itself.
  public var account: DID? {
    switch self {
    case .add(let account, _, _), .remove(let account, _): account
    case .create, .edit, .delete, .clear: nil
    }
  }

  /// The facts needed to plan it.
  package var needs: Set<SubjectFacts.Part> {
    switch self {
    case .create, .edit: [.lists]
    case .add, .remove: [.lists, .edges(.listitem)]
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
