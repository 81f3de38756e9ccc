// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// The current version of a record, whatever its content.
package struct RecordVersion: Sendable, Hashable, Decodable {
  /// The record's URI.
  package let uri: ATURI
  /// The hash of the content, for strong references to exactly this version.
  package let cid: CID

  package init(uri: ATURI, cid: CID) { (self.uri, self.cid) = (uri, cid) }
}
