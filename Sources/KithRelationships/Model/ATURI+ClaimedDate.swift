// SPDX-License-Identifier: Apache-2.0

package import KithCore

extension ATURI {
  /// The creation date claimed by the record key (Q15); nil if the key is not a timestamp: on some servers they are
  /// smaller than any.
  package var claimedDate: Datetime? {
    guard let tid = recordKey?.tid, tid.instant >= Instant.networkBegan else { return nil }
    return Datetime(at: tid.instant)
  }
}
