// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import ATProtoLexicons
public import Relationships

/// What somebody wants to be so between their account and another one, or a list.
public enum ChangeIntent: Sendable, Hashable {
  /// Follow the account.
  case follow(DID)
  /// Follow the account no more, by whichever record (Q16).
  case unfollow(DID)
  /// Block the account, and follow it no more.
  case block(DID)
  /// Block the account itself no more; a list may go on doing so.
  case unblock(DID)
  /// Mute the account, in place of whatever mute it has (Q9).
  case mute(DID, MuteScope)
  /// Mute the account itself no more; a list may go on doing so.
  case unmute(DID)
  /// Mute all members of the list.
  case muteList(ATURI)
  /// Mute the list no more.
  case unmuteList(ATURI)
  /// Block all members of the list.
  case blockList(ATURI)
  /// Block the list no more, by whichever record.
  case unblockList(ATURI)
  /// Keep the oldest record of an edge, and remove the others that say the same (Q16).
  case deduplicate(RecordEdge)
  /// Change a list of one's own, or who is on it.
  case list(ListChange)

  /// The account that it is about; nil where it is about a list alone.
  public var account: DID? {
    switch self {
    case .follow(let account), .unfollow(let account), .block(let account), .unblock(let account),
      .mute(let account, _), .unmute(let account):
      account
    case .deduplicate(let edge): edge.account
    case .list(let change): change.account
    case .muteList, .unmuteList, .blockList, .unblockList: nil
    }
  }

  /// The list that it is about; nil where it is about an account alone.
  public var list: ATURI? {
    switch self {
    case .muteList(let list), .unmuteList(let list), .blockList(let list), .unblockList(let list): list
    case .deduplicate(let edge): edge.list
    case .list(let change): change.list
    case .follow, .unfollow, .block, .unblock, .mute, .unmute: nil
    }
  }

  /// Whether it makes a record that points to an account.
  package var makesEdge: Bool {
    switch self {
    case .follow, .block, .list(.add): true
    default: false
    }
  }

  /// What it does, in a word or two, as the journal names it.
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
    case .deduplicate: "deduplicate"
    case .list(.create): "create list"
    case .list(.edit): "edit list"
    case .list(.delete): "delete list"
    case .list(.clear): "clear list"
    case .list(.add): "add to list"
    case .list(.remove): "remove from list"
    }
  }

  /// Whether nothing that a step does contradicts what is wanted.
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
    case .deduplicate(let edge): return makes(edge.collection) == nil
    case .list(.add): return makes(.listitem) != false
    case .list(.remove): return makes(.listitem) != true
    case .list(.create), .list(.edit): return makes(.list) != false
    case .list(.delete): return makes(.list) != true
    case .list(.clear): return makes(.listitem) != true
    }
  }

  /// What steps may be about that bring it about, as journals have them.
  public var subjects: [ChangeStep.Subject] {
    if case .list(.create(let list, let draft)) = self { return [.listName(draft.name), .list(list)] }
    return (account.map(ChangeStep.Subject.account) ?? list.map(ChangeStep.Subject.list)).map { [$0] } ?? []
  }

  /// What has to be known before it can be planned.
  public var needs: SubjectFacts.Parts {
    switch self {
    case .follow, .unfollow: .follows
    case .block: [.follows, .blocks]
    case .unblock: .blocks
    case .mute, .unmute: .mutes
    case .muteList, .unmuteList: .listMutes
    case .blockList, .unblockList: .listBlocks
    case .deduplicate(let edge): edge.needs
    case .list(let change): change.needs
    }
  }
}

extension RecordEdge {
  /// What tells all records of the edge.
  fileprivate var needs: SubjectFacts.Parts {
    switch collection {
    case .follow: .follows
    case .block: .blocks
    case .listblock: .listBlocks
    default: [.lists, .listItems]
    }
  }
}

extension ChangeIntent {
  /// What mends a finding; nil where nothing does.
  ///
  /// - Parameter account: whose records were examined.
  public init?(mending finding: AuditFinding, of account: DID) {
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

/// What somebody wants to be so with a list of their own, or with an account on it.
public enum ListChange: Sendable, Hashable {
  /// Make the list under this address, which names one of the account's own records that is not there yet.
  case create(ATURI, ListDraft)
  /// Let the list say something else about itself.
  case edit(ATURI, ListEdit)
  /// Take the list away, and with it the own records that put accounts on it or block it.
  case delete(ATURI)
  /// Take away the own records that put accounts on a list that is gone, or block it. Refused where the list is there.
  case clear(ATURI)
  /// Put the account on the list. One whom the owner follows comes onto a moderation list only where that is
  /// allowed expressly.
  case add(DID, to: ATURI, allowsFollowed: Bool = false)
  /// Take the account off the list, by whichever record (Q16).
  case remove(DID, from: ATURI)

  /// The list that it is about.
  public var list: ATURI {
    switch self {
    case .create(let list, _), .edit(let list, _), .delete(let list), .clear(let list), .add(_, let list, _),
      .remove(_, let list):
      list
    }
  }

  /// The account that is put on the list or taken off; nil where it is about the list itself.
  public var account: DID? {
    switch self {
    case .add(let account, _, _), .remove(let account, _): account
    case .create, .edit, .delete, .clear: nil
    }
  }

  /// What has to be known before it can be planned.
  public var needs: SubjectFacts.Parts {
    switch self {
    case .create, .edit: .lists
    case .add, .remove: [.lists, .listItems]
    case .delete, .clear: [.lists, .listItems, .listBlocks]
    }
  }
}

/// What a new list is to say about itself.
public struct ListDraft: Sendable, Hashable {
  /// 1 to 64 bytes, by the lexicon.
  public var name: String
  /// What it is for: to read by, to moderate by, or to be referred to.
  public var purpose: ListPurpose
  /// At most 300 graphemes; nil for none.
  public var description: String?

  /// Puts a draft together; whether it fits the lexicon shows when it is planned.
  public init(name: String, purpose: ListPurpose, description: String? = nil) {
    self.name = name
    self.purpose = purpose
    self.description = description
  }

  /// Whether a list is what the draft wants; one that asks for no description is content with any.
  public func isMet(by list: OwnList) -> Bool {
    list.name == name && list.purpose == purpose
      && (description == nil || description == list.description ?? "")
  }

  /// The record that it becomes.
  func record(createdAt: Datetime) -> App.Bsky.Graph.List {
    App.Bsky.Graph.List(purpose: purpose.type, name: name, description: description, createdAt: createdAt)
  }
}

/// What a list is to say about itself from now on.
///
/// What it is for cannot be changed: accounts that were put on a list to be read would be moderated by it.
public struct ListEdit: Sendable, Hashable {
  /// Another name; nil to leave it.
  public var name: String?
  /// Another description, an empty one to have none; nil to leave it.
  public var description: String?

  /// Puts an edit together.
  public init(name: String? = nil, description: String? = nil) {
    self.name = name
    self.description = description
  }
}
