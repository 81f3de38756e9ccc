// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import ATProtoLexicons
public import Relationships

/// One write to the account's own repository, with its key chosen before anything is sent.
///
/// The key is what makes a repetition harmless: a record written twice under one key is one record, and whether
/// it is there can be asked. Two creates without keys may collide (table of PDSes).
public struct RecordWrite: Sendable, Hashable {
  /// What is done to the record.
  public enum Action: Sendable, Hashable {
    /// Makes the record.
    case create(DataValue)
    /// Puts another value in the place of the former one, where that is known.
    case update(DataValue, former: DataValue?)
    /// Takes the record away; what it said, where that is known, is kept so that it can be made again.
    case delete(former: DataValue?)
  }

  /// The collection that the record is in: `app.bsky.graph.follow`.
  public var collection: NSID
  /// The record's name within its collection.
  public var rkey: RecordKey
  /// What is done.
  public var action: Action

  /// Names a record and what is to be done to it.
  public init(collection: NSID, rkey: RecordKey, action: Action) {
    self.collection = collection
    self.rkey = rkey
    self.action = action
  }

  /// The name of the record within its repository.
  public var name: RecordName { RecordName(rkey, in: collection) }

  /// The collections that changes of relationships write to.
  package static let collections: Set<NSID> = [.follow, .block, .listblock, .list, .listitem]

  /// The most writes that the reference PDS takes in one commit; some servers take fewer.
  public static let mostPerCommit = 200

  /// Points of the hourly and daily budget that it costs: 3 for a create, 2 for an update, 1 for a delete.
  public var points: Int {
    switch action {
    case .create: 3
    case .update: 2
    case .delete: 1
    }
  }
}

extension Com.Atproto.Repo.ApplyWrites.Input.WritesElement {
  /// A write as it travels.
  init(_ write: RecordWrite) {
    typealias Method = Com.Atproto.Repo.ApplyWrites
    switch write.action {
    case .create(let value):
      self = .create(Method.Create(collection: write.collection, rkey: write.rkey, value: value))
    case .update(let value, former: _):
      self = .update(Method.Update(collection: write.collection, rkey: write.rkey, value: value))
    case .delete:
      self = .delete(Method.Delete(collection: write.collection, rkey: write.rkey))
    }
  }
}

extension RecordWrite {
  /// Whether a record with a value of ours is there afterwards, which tells of a commit that it has happened.
  var makesRecord: Bool {
    switch action {
    case .create, .update: true
    case .delete: false
    }
  }
}

/// A change that the viewer's AppView keeps, in private and in no repository (Q9). Doing it twice is the same
/// as doing it once.
public enum ViewerCall: Sendable, Hashable {
  /// Mutes the account, in place of whatever mute it had.
  case mute(DID, MuteScope)
  /// Ends the account's mute, of whatever scope; does nothing about one that comes from a list (Q9).
  case unmute(DID)
  /// Mutes all members of the list.
  case muteList(ATURI)
  /// Ends the mute of the list.
  case unmuteList(ATURI)

  /// What it is about: a later call about the same takes its place.
  package var target: ChangeStep.Subject {
    switch self {
    case .mute(let account, _), .unmute(let account): .account(account)
    case .muteList(let list), .unmuteList(let list): .list(list)
    }
  }
}

/// What is done for one subject: as a whole or not at all.
public struct ChangeStep: Sendable, Hashable {
  /// How it is done.
  public enum Action: Sendable, Hashable {
    /// Writes to the account's repository that go in one commit together; never empty, at most
    /// ``RecordWrite/mostPerCommit``.
    case write([RecordWrite])
    /// A call that the account's AppView keeps. `former` is the call that would bring back what was before;
    /// nil where nothing is to be brought back or it is not known.
    case call(ViewerCall, former: ViewerCall?)
  }

  /// What a step is about: two steps about different subjects never touch the same edge.
  public enum Subject: Sendable, Hashable {
    /// The account that is followed, blocked, muted, or put on a list or taken off.
    case account(DID)
    /// The list that is blocked, muted, edited or deleted.
    case list(ATURI)
    /// The name of a list that is to be made, which has no address yet that anybody else could know.
    case listName(String)
  }

  /// What it is about.
  public var subject: Subject
  /// How it is done.
  public var action: Action

  /// Puts together what a step is about and how it is done.
  public init(subject: Subject, action: Action) {
    self.subject = subject
    self.action = action
  }

  /// What it writes; nothing where it is a call.
  public var writes: [RecordWrite] { if case .write(let writes) = action { writes } else { [] } }

  /// The call that it makes; nil where it writes.
  package var call: ViewerCall? { if case .call(let call, _) = action { call } else { nil } }

  /// Points of the write budget that it costs; calls cost none.
  public var points: Int { writes.reduce(0) { $0 + $1.points } }
}

extension ChangeStep {
  /// What two jobs must not do at the same time, for the second would double the first or undo what it says.
  public enum Claim: Sendable, Hashable {
    /// Making this edge.
    case edge(RecordEdge)
    /// Making a list of this name.
    case listName(String)
    /// Changing what this record says.
    case record(NSID, RecordKey)
  }

  /// What it claims; nothing where it only removes, or makes a call: twice is the same as once.
  public var claims: Set<Claim> {
    var claims: Set<Claim> = []
    for write in writes {
      switch write.action {
      case .create:
        if let edge = write.edge { claims.insert(.edge(edge)) }
        if write.collection == .list, case .listName(let name) = subject { claims.insert(.listName(name)) }
      case .update: claims.insert(.record(write.collection, write.rkey))
      case .delete: break
      }
    }
    return claims
  }
}

extension ChangeStep.Subject: LosslessStringConvertible {
  private static let nameMark = "name:"

  /// Reads a subject as ``description`` writes it; nil where the text is none.
  public init?(_ description: String) {
    if let account = DID(description) {
      self = .account(account)
    } else if let list = ATURI(description) {
      self = .list(list)
    } else if description.hasPrefix(Self.nameMark) {
      self = .listName(String(description.dropFirst(Self.nameMark.count)))
    } else {
      return nil
    }
  }

  /// A DID, an AT-URI, or `name:` and a name.
  public var description: String {
    switch self {
    case .account(let account): account.description
    case .list(let list): list.description
    case .listName(let name): Self.nameMark + name
    }
  }
}

extension ChangeStep {
  /// Writes about one subject in one commit, or in several for the hundreds of duplicates that only an accident
  /// makes.
  static func steps(_ subject: Subject, _ writes: [RecordWrite]) -> [ChangeStep] {
    writes.parts(of: RecordWrite.mostPerCommit).map { ChangeStep(subject: subject, action: .write($0)) }
  }
}

extension RecordWrite {
  /// What the record says that it makes, where it is an edge.
  var edge: RecordEdge? {
    if case .create(let value) = action { RecordEdge(value, in: collection) } else { nil }
  }

  /// Whether a record is the one that was written here with that value. Servers may put an edge into another form,
  /// but not into other words.
  func says(_ value: DataValue, as found: DataValue) -> Bool {
    if value == found { return true }
    guard let edge = RecordEdge(value, in: collection) else { return false }
    return edge == RecordEdge(found, in: collection)
  }
}
