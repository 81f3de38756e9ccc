// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations

extension Wiring {
  /// The unfinished jobs of an account; none without a journal.
  ///
  /// - Throws: what the stores throw.
  func unfinishedWork(of account: DID) async throws -> UnfinishedWork {
    try await UnfinishedWork(of: account, in: try workspace.jobStoreToRead())
  }
}
