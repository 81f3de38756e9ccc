// SPDX-License-Identifier: Apache-2.0

package import KithCore

extension ATURI {
  /// The creation date claimed by the record key (Q15); nil if the key is not a timestamp: on some servers they are
  /// smaller than any.
  package var claimedDate: Datetime? {
    guard let tid = recordKey?.tid, tid.microseconds >= Datetime.networkBegan else { return nil }
    return Datetime(microsecondsSinceEpoch: tid.microseconds)
  }
}
