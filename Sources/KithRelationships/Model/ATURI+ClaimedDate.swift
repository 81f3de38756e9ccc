// SPDX-License-Identifier: Apache-2.0

package import KithCore

extension ATURI {
  /// The earliest plausible date, before the network began; smaller keys are not timestamps, as on some
  /// servers.
  static let firstMoment: Int64 = 1_640_995_200_000_000

  /// The creation date claimed by the record key (Q15); nil if the key is not a timestamp.
  package var claimedDate: Datetime? {
    guard let tid = recordKey?.tid, tid.microseconds >= Self.firstMoment else { return nil }
    return Datetime(microsecondsSinceEpoch: tid.microseconds)
  }
}
