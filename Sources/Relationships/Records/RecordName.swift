// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// What names a record within its repository.
public struct RecordName: Sendable, Hashable {
  /// The collection that the record is in: `app.bsky.graph.follow`.
  public var collection: NSID
  /// Its key within the collection.
  public var rkey: RecordKey

  /// Names a record.
  public init(_ rkey: RecordKey, in collection: NSID) {
    self.collection = collection
    self.rkey = rkey
  }
}

extension RecordName: CustomStringConvertible {
  public var description: String { "\(collection)/\(rkey)" }
}
