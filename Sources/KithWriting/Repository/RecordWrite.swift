// SPDX-License-Identifier: Apache-2.0

public import KithCore
internal import KithLexicons
public import KithRelationships

/// One write to the account's own repository, with its record key chosen before anything is sent.
///
/// The key makes a retry idempotent: a record written twice under one key is one record, and its existence
/// can be checked. Two creates without keys may collide (table of PDSes).
package struct RecordWrite: Sendable, Hashable {
  /// The operation on the record.
  package enum Action: Sendable, Hashable {
    /// Creates the record.
    case create(DataValue)
    /// Replaces the content; `former` is the previous content, if known.
    case update(DataValue, former: DataValue?)
    /// Deletes the record; `former` is its content, if known, so that it can be restored.
    case delete(former: DataValue?)
  }

  /// The collection of the record: `app.bsky.graph.follow`.
  package var collection: NSID
  /// The key of the record within its collection.
  package var rkey: RecordKey
  /// The operation.
  package var action: Action
  /// How its content is read; set by the step.
  fileprivate(set) var role = Role.ofCollection

  /// How the content of a write is read, which depends on the subject of its step.
  enum Role: Sendable, Hashable {
    /// What its collection says: an edge, a list, a profile.
    case ofCollection
    /// A new record, whatever it says: never an edge.
    case newRecord
    /// The record under this key, whatever it says: never an edge.
    case namedRecord
  }

  /// Creates a write.
  package init(collection: NSID, rkey: RecordKey, action: Action) {
    self.collection = collection
    self.rkey = rkey
    self.action = action
  }

  /// The name of the record within its repository.
  package var name: RecordName { RecordName(rkey, in: collection) }

  /// The most writes that the reference PDS accepts in one commit; some servers accept fewer.
  package static let mostPerCommit = 200

  /// Points of the hourly and daily write budget: 3 for a create, 2 for an update, 1 for a delete.
  package var points: Int {
    switch action {
    case .create: 3
    case .update: 2
    case .delete: 1
    }
  }
}

extension Com.Atproto.Repo.ApplyWrites.Input.WritesElement {
  /// Converts a write to its wire format.
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
  /// Whether it creates a record.
  var isCreation: Bool { if case .create = action { true } else { false } }

  /// The content that it gives its record; nil for a deletion.
  var newValue: DataValue? {
    switch action {
    case .create(let value), .update(let value, former: _): value
    case .delete: nil
    }
  }

  /// Whether a record with our content exists afterwards, which proves that the commit took effect.
  package var makesRecord: Bool {
    switch action {
    case .create, .update: true
    case .delete: false
    }
  }
}

/// A change that the viewer's AppView stores privately, not in a repository (Q9). It is idempotent.
public enum ViewerCall: Sendable, Hashable {
  /// Mutes the account, replacing any mute that it had.
  case mute(DID, MuteScope)
  /// Unmutes the account, whatever the scope; does not affect a mute that comes from a list (Q9).
  case unmute(DID)
  /// Mutes all members of the list.
  case muteList(ATURI)
  /// Unmutes the list.
  case unmuteList(ATURI)

  /// The account that it is about; nil for a list.
  public var account: DID? { if case .account(let account) = target { account } else { nil } }

  /// The list that it is about; nil for an account.
  public var list: ATURI? { if case .list(let list) = target { list } else { nil } }

  /// What it is about; a later call with the same target replaces it.
  package var target: ChangeStep.Subject {
    switch self {
    case .mute(let account, _), .unmute(let account): .account(account)
    case .muteList(let list), .unmuteList(let list): .list(list)
    }
  }
}

/// A new end of something that a job did.
package struct EndChange: Sendable, Hashable {
  /// The job.
  package var job: JobID
  /// The position of its item.
  package var position: Int
  /// When it is to be undone; nil if it is permanent.
  package var until: Datetime?
  /// Its end before; nil if it was permanent.
  package var former: Datetime?

  /// Creates a change of an end.
  package init(job: JobID, position: Int, until: Datetime?, former: Datetime?) {
    self.job = job
    self.position = position
    self.until = until
    self.former = former
  }

  /// The change that restores the former end.
  var reversed: EndChange { EndChange(job: job, position: position, until: former, former: until) }
}

/// A note that a request is declined. It stays on this machine: for others a declined request is one that was not seen.
package struct Decline: Sendable, Hashable {
  /// The version of the request; another version is a new request.
  package var request: RecordVersion
  /// Whether it takes an earlier note back.
  package var isTakenBack: Bool

  package init(_ request: RecordVersion, isTakenBack: Bool = false) {
    (self.request, self.isTakenBack) = (request, isTakenBack)
  }

  var reversed: Decline { Decline(request, isTakenBack: !isTakenBack) }
}

/// What is done for one subject, all or nothing.
package struct ChangeStep: Sendable, Hashable {
  /// How a step is carried out.
  package enum Action: Sendable, Hashable {
    /// Writes to the account's repository in one commit; never empty, at most ``RecordWrite/mostPerCommit``.
    case write([RecordWrite])
    /// A call to the account's AppView. `former` is the call that restores the previous state; nil if nothing
    /// is to be restored or the state is unknown.
    case call(ViewerCall, former: ViewerCall?)
    /// Changes when something that a job did is undone; only the journal changes.
    case end(EndChange)
    /// Notes that a request is declined, or no longer; only the journal changes.
    case decline(Decline)
  }

  /// What a step is about; steps with different subjects never touch the same edge.
  package enum Subject: Sendable, Hashable {
    /// The account that is followed, blocked, muted, or added to or removed from a list.
    case account(DID)
    /// The list that is blocked, muted, edited or deleted.
    case list(ATURI)
    /// The name of a list to be created, whose URI is not known to anyone else yet.
    case listName(String)
    /// The post that is deleted, liked or reposted.
    case post(ATURI)
    /// The content of records to be made, such as posts, whose URIs are not known to anyone else yet.
    case newRecords(DraftsDigest)
    /// An own record of a kind that Kith has no rules for, which is replaced or deleted.
    case record(ATURI)
    /// The account's own profile.
    case profile

    /// What steps about an edge are about.
    init(_ edge: RecordEdge) {
      self =
        switch edge.subject {
        case .account(let account), .member(let account, of: _): .account(account)
        case .list(let list): .list(list)
        case .post(let post): .post(post)
        }
    }

    /// What it says about each write.
    fileprivate var role: RecordWrite.Role {
      switch self {
      case .account, .list, .listName, .post, .profile: .ofCollection
      case .newRecords: .newRecord
      case .record: .namedRecord
      }
    }
  }

  /// What it is about.
  package var subject: Subject
  /// How it is carried out.
  package var action: Action
  /// The accepted request that it acts on; nil for most. From the moment that the step is sent, the journal remembers
  /// that nothing is left to do about this version, whatever becomes of the record or the job.
  package var settles: RecordVersion?

  /// Creates a step.
  package init(subject: Subject, action: Action, settles: RecordVersion? = nil) {
    self.subject = subject
    self.action =
      switch action {
      case .write(let writes) where writes.contains { $0.role != subject.role }:
        .write(writes.map { $0.with(subject.role) })
      case .write, .call, .end, .decline: action
      }
    self.settles = settles
  }

  /// The same step with other writes.
  func writing(_ writes: [RecordWrite]) -> ChangeStep {
    ChangeStep(subject: subject, action: .write(writes), settles: settles)
  }

  /// The writes; empty for a call.
  package var writes: [RecordWrite] { if case .write(let writes) = action { writes } else { [] } }

  /// The call; nil for writes.
  package var call: ViewerCall? { if case .call(let call, _) = action { call } else { nil } }

  /// The change of an end; nil for writes and calls.
  package var end: EndChange? { if case .end(let change) = action { change } else { nil } }

  /// The declined request; nil for other actions.
  package var decline: Decline? { if case .decline(let decline) = action { decline } else { nil } }

  /// Points of the write budget that it costs; calls cost none.
  package var points: Int { writes.reduce(0) { $0 + $1.points } }

  /// The graph whose follows are all that it writes; nil for any other step.
  package var graph: FollowGraph? {
    let graphs = Set(writes.map { FollowGraph($0.collection) })
    return graphs.count == 1 ? graphs.first.flatMap(\.self) : nil
  }
}

extension ChangeStep {
  /// What two jobs must not do concurrently, because the second would duplicate or overwrite the first.
  package enum Claim: Sendable, Hashable {
    /// Creating this edge.
    case edge(RecordEdge)
    /// Creating a list with this name.
    case listName(String)
    /// Making records with this content.
    case newRecords(DraftsDigest)
    /// Changing the content of this record.
    case record(NSID, RecordKey)
  }

  /// What no other job may have in doubt while this is sent, or have done since the facts were read: what it claims,
  /// and the records that it deletes. Of two jobs that delete a record, only one has done it, and can undo it.
  package var rivalries: Set<Claim> { Set(results.keys) }

  /// Whether it must not be sent while another job has the other step in doubt, or without looking again after
  /// another job has done it.
  package func isRival(of other: ChangeStep) -> Bool {
    !rivalries.isDisjoint(with: other.rivalries) || !listsJoined.isDisjoint(with: other.listsDeleted)
      || !listsDeleted.isDisjoint(with: other.listsJoined)
  }

  /// The keys of the own lists that it adds members to.
  package var listsJoined: Set<RecordKey> {
    Set(writes.lazy.filter { $0.collection == .listitem }.compactMap { $0.edge?.list?.recordKey })
  }

  /// The keys of the own lists that it deletes.
  package var listsDeleted: Set<RecordKey> {
    Set(writes.lazy.filter { $0.collection == .list && !$0.makesRecord }.map(\.rkey))
  }

  /// What it claims; empty if it only deletes or makes a call, because those are idempotent.
  package var claims: Set<Claim> {
    var claims: Set<Claim> = []
    for write in writes {
      switch write.action {
      case .create where write.hasFixedKey: claims.insert(.record(write.collection, write.rkey))
      case .create:
        if let edge = write.edge { claims.insert(.edge(edge)) }
        if write.collection == .list, case .listName(let name) = subject { claims.insert(.listName(name)) }
        if case .newRecords(let digest) = subject { claims.insert(.newRecords(digest)) }
      case .update: claims.insert(.record(write.collection, write.rkey))
      case .delete: break
      }
    }
    return claims
  }
}

extension RecordWrite {
  /// Whether the key follows from what the record is about, so that there cannot be a second record of the kind.
  var hasFixedKey: Bool { role == .namedRecord || RecordKind(of: collection)?.hasFixedKey == true }

  fileprivate func with(_ role: Role) -> RecordWrite {
    var write = self
    write.role = role
    return write
  }
}

extension ChangeStep {
  /// What a write makes of what it claims: equal ones have to be done only once.
  enum Result: Sendable, Hashable {
    /// The edge exists, or the new records do.
    case made
    /// The record has this content.
    case content(DataValue)
    /// The record is gone.
    case deleted
  }

  /// What it makes of each record or edge.
  var results: [Claim: Result] {
    var results: [Claim: Result] = [:]
    for write in writes {
      switch write.action {
      case .create(let value) where write.hasFixedKey:
        results[.record(write.collection, write.rkey)] = .content(value.undated)
      case .create(let value):
        if let edge = write.edge { results[.edge(edge)] = .made }
        if write.collection == .list, case .listName(let name) = subject {
          results[.listName(name)] = .content(value.undated)
        }
        if case .newRecords(let digest) = subject { results[.newRecords(digest)] = .made }
      case .update(let value, former: _): results[.record(write.collection, write.rkey)] = .content(value)
      case .delete: results[.record(write.collection, write.rkey)] = .deleted
      }
    }
    return results
  }
}

extension [ChangeStep] {
  /// What they make of each record or edge together.
  var results: [ChangeStep.Claim: ChangeStep.Result] {
    reduce(into: [:]) { all, step in all.merge(step.results) { _, new in new } }
  }
}

extension DataValue {
  /// A record without its time of creation.
  fileprivate var undated: DataValue {
    guard var fields = object else { return self }
    fields["createdAt"] = nil
    return .object(fields)
  }
}

extension ChangeStep.Subject: LosslessStringConvertible {
  private static let nameMark = "name:"
  /// Must not change: journals contain it. It covers all new records, not only posts.
  private static let newMark = "posts:"
  private static let recordMark = "record:"
  private static let profileMark = "profile"

  /// Parses a subject as written by ``description``; nil if the text is not one.
  package init?(_ description: String) {
    if description == Self.profileMark {
      self = .profile
    } else if let account = DID(description) {
      self = .account(account)
    } else if let record = ATURI(description) {
      self = record.collection == .post ? .post(record) : .list(record)
    } else if description.hasPrefix(Self.nameMark) {
      self = .listName(String(description.dropFirst(Self.nameMark.count)))
    } else if description.hasPrefix(Self.newMark) {
      self = .newRecords(DraftsDigest(digits: String(description.dropFirst(Self.newMark.count))))
    } else if description.hasPrefix(Self.recordMark),
      let record = ATURI(String(description.dropFirst(Self.recordMark.count)))
    {
      self = .record(record)
    } else {
      return nil
    }
  }

  /// A DID, an AT-URI, `name:` followed by a name, `posts:` followed by a digest, `record:` followed by an
  /// AT-URI, or `profile`.
  package var description: String {
    switch self {
    case .account(let account): account.description
    case .list(let list): list.description
    case .listName(let name): Self.nameMark + name
    case .post(let post): post.description
    case .profile: Self.profileMark
    case .newRecords(let digest): "\(Self.newMark)\(digest.digits)"
    case .record(let record): "\(Self.recordMark)\(record)"
    }
  }
}

extension ChangeStep {
  /// Splits writes about one subject into steps of one commit each: one, except for hundreds of duplicates,
  /// which only exist by accident.
  static func steps(_ subject: Subject, _ writes: [RecordWrite]) -> [ChangeStep] {
    writes.parts(of: RecordWrite.mostPerCommit).map { ChangeStep(subject: subject, action: .write($0)) }
  }
}

extension RecordWrite {
  /// The edge of the record that it creates, if it is one.
  var edge: RecordEdge? { if case .create(let value) = action { edge(of: value) } else { nil } }

  /// The edge that a content of the record says, if it is one.
  func edge(of value: DataValue) -> RecordEdge? {
    role == .ofCollection ? RecordEdge(value, in: collection) : nil
  }

  /// The kind of edge that the record is; nil if it is not one.
  var edgeKind: EdgeKind? { role == .ofCollection ? EdgeKind(of: collection) : nil }

  /// Whether it makes an edge of which there is to be one record, under any key.
  var makesUniqueEdge: Bool { edge?.kind.isUnique == true && !hasFixedKey }

  /// Whether the record that was found is the one written with that value. Servers may reformat an edge, but
  /// not change its meaning.
  func says(_ value: DataValue, as found: DataValue) -> Bool {
    if value == found { return true }
    if role == .namedRecord { return false }
    if hasFixedKey { return value.undated == found.undated }
    guard let edge = edge(of: value) else { return false }
    return edge == self.edge(of: found)
  }
}
