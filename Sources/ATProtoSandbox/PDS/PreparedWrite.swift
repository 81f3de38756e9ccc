// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// One write of a commit, checked as far as that can be done without the repository.
struct PreparedWrite {
  enum Action {
    /// The record must not be there.
    case create
    /// The record must be there.
    case update
    /// Makes the record or puts another value in its place; does nothing where it is so already.
    case put
    /// The record must be there.
    case delete
    /// Does nothing where the record is not there (Q17).
    case discard

    /// What it costs of the account's budget.
    var points: Int {
      switch self {
      case .create: 3
      case .update, .put: 2
      case .delete, .discard: 1
      }
    }
  }

  /// What must be there before.
  enum Swap {
    case nothing
    case cid(CID)
  }

  let action: Action
  let name: RecordName
  /// What it is to be; nil for a record that is to go.
  var written: WrittenRecord?
  var status: RecordValidation.Status?
  var swap: Swap?

  /// Whether nothing is left to be done.
  func isSettled(by current: WrittenRecord?) -> Bool {
    switch action {
    case .put: current == written
    case .discard: current == nil
    case .create, .update, .delete: false
    }
  }
}
