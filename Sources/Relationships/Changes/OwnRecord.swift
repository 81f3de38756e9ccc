// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// A record of the own repository that points to a subject.
public struct OwnRecord: Sendable, Hashable {
  /// Its name within its collection.
  public var rkey: RecordKey
  /// What it says, to be made again where its removal is undone; nil where that is not known.
  public var value: DataValue?

  /// Names a record.
  public init(rkey: RecordKey, value: DataValue?) {
    self.rkey = rkey
    self.value = value
  }
}
