// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The current version of a record, whatever its content.
public struct RecordVersion: Sendable, Hashable, Decodable {
  /// The record's URI.
  public let uri: ATURI
  /// The hash of the content, for strong references to exactly this version.
  public let cid: CID

  /// Creates a reference to a version.
  public init(uri: ATURI, cid: CID) { (self.uri, self.cid) = (uri, cid) }

  /// The reference as records have it (lexicon `com.atproto.repo.strongRef`).
  package var value: DataValue { ["uri": .string(uri.description), "cid": .string(cid.description)] }
}
