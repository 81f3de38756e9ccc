// SPDX-License-Identifier: Apache-2.0

package import KithCore

extension OperationError {
  package static func emptyTime(since: Instant, until: Instant) -> OperationError {
    let (since, until) = (Datetime(at: since), Datetime(at: until))
    return OperationError(
      .emptyTime, .usage, "the period begins at \(since), which is not before its end at \(until)",
      ["since": .text(since), "until": .text(until)])
  }

  /// - Parameter account: the name of the account.
  package static func followersUnknown(_ account: String) -> OperationError {
    OperationError(
      .followersUnknown, .unavailable, "the AppView does not report the number of followers of \(account)",
      ["account": .string(account)])
  }

  package static func noSnapshotOf(_ actor: DID) -> OperationError {
    OperationError(
      .noSnapshotOf, .notFound, "there is no snapshot of the followers of \(actor)", ["did": .text(actor)])
  }
}
