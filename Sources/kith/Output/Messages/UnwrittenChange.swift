// SPDX-License-Identifier: Apache-2.0

import RelationshipStore

/// The journal failed before a change was written down: nothing of it was sent.
struct UnwrittenChange: Error {
  let underlying: StoreError

  /// The error as one of a change that is not written down yet, where it is one of the journal.
  static func wrapping(_ error: any Error) -> any Error {
    (error as? StoreError).map(UnwrittenChange.init) ?? error
  }
}
