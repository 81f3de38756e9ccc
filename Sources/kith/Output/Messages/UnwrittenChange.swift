// SPDX-License-Identifier: Apache-2.0

import KithStore

/// The journal failed before a change was recorded, so nothing was sent.
struct UnwrittenChange: Error {
  let underlying: StoreError

  /// Wraps an error of the journal; returns any other error unchanged.
  static func wrapping(_ error: any Error) -> any Error {
    (error as? StoreError).map(UnwrittenChange.init) ?? error
  }
}
