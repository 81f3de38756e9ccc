// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// One write of a commit, after the checks that do not need the repository.
struct PreparedWrite {
  enum Action {
    /// The record must not exist.
    case create
    /// The record must exist.
    case update
    /// Creates or replaces the record; does nothing if it is equal already.
    case put
    /// The record must exist.
    case delete
    /// Does nothing if the record does not exist (Q17).
    case discard

    /// The points that it costs.
    var points: Int {
      switch self {
      case .create: 3
      case .update, .put: 2
      case .delete, .discard: 1
      }
    }
  }

  /// The required previous state.
  enum Swap {
    case nothing
    case cid(CID)
  }

  let action: Action
  let name: SandboxRecordName
  /// The new content; nil to delete the record.
  var written: WrittenRecord?
  var status: RecordValidation.Status?
  var swap: Swap?

  /// Whether nothing has to be done.
  func isSettled(by current: WrittenRecord?) -> Bool {
    switch action {
    case .put: current == written
    case .discard: current == nil
    case .create, .update, .delete: false
    }
  }
}
