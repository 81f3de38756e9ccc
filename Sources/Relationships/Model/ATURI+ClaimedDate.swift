// SPDX-License-Identifier: Apache-2.0

package import ATProtoCore

extension ATURI {
  /// Before the network began a key counts something else than time, as some servers do.
  static let firstMoment: Int64 = 1_640_995_200_000_000

  /// When the record was made, by the word of whoever chose its key (Q15); nil where the key is no clock's.
  package var claimedDate: Datetime? {
    guard let tid = recordKey?.tid, tid.microseconds >= Self.firstMoment else { return nil }
    return Datetime(microsecondsSinceEpoch: tid.microseconds)
  }
}
