// SPDX-License-Identifier: Apache-2.0

/// What became of one item of a job.
public enum JobItemState: Sendable, Hashable {
  /// Nothing was sent of it.
  case pending
  /// It was sent or was about to be, with the commit of this number within its job; the outcome is not known.
  case inDoubt(commit: Int)
  /// The server said so.
  case done
  /// Nothing was to be done, or it was left alone, for this reason.
  case skipped(String)
  /// The server refuses it, for this reason.
  case failed(String)
  /// Given up before it was sent.
  case cancelled
  /// It was done, and a later job took it back.
  case undone

  /// The state without what belongs to the one item.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case pending, inDoubt, done, skipped, failed, cancelled, undone
  }

  /// The state without what belongs to the one item.
  public var kind: Kind {
    switch self {
    case .pending: .pending
    case .inDoubt: .inDoubt
    case .done: .done
    case .skipped: .skipped
    case .failed: .failed
    case .cancelled: .cancelled
    case .undone: .undone
    }
  }

  /// Why it was skipped or failed.
  public var reason: String? {
    switch self {
    case .skipped(let reason), .failed(let reason): reason
    default: nil
    }
  }
}
