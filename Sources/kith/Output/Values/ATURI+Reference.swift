// SPDX-License-Identifier: Apache-2.0

import KithCore

extension ATURI {
  /// The name of a list or starter pack that other commands take: `alice.test/3k2yihcrp6f2c`.
  func reference(of owner: DID, named handle: Handle?) -> String {
    guard let recordKey else { return description }
    return "\(handle.flatMap { $0.isInvalid ? nil : $0.description } ?? owner.description)/\(recordKey)"
  }
}
