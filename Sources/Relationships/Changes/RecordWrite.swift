// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

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
