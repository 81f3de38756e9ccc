// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// The name of a record within its repository.
public struct RecordName: Sendable, Hashable {
  /// The collection: `app.bsky.graph.follow`.
  public var collection: NSID
  /// The record key.
  public var rkey: RecordKey

  /// Creates a name.
  public init(_ rkey: RecordKey, in collection: NSID) {
    self.collection = collection
    self.rkey = rkey
  }
}

extension RecordName: CustomStringConvertible {
  public var description: String { "\(collection)/\(rkey)" }
}
