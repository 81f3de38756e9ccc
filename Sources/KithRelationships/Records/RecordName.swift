// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// The name of a record within its repository.
package struct RecordName: Sendable, Hashable {
  /// The collection: `app.bsky.graph.follow`.
  package var collection: NSID
  /// The record key.
  package var rkey: RecordKey

  /// Creates a name.
  package init(_ rkey: RecordKey, in collection: NSID) {
    self.collection = collection
    self.rkey = rkey
  }
}

extension RecordName: CustomStringConvertible {
  package var description: String { "\(collection)/\(rkey)" }
}
