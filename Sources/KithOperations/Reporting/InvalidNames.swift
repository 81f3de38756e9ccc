// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

/// Reports the names of a run that are not valid: the first individually, then the number of all.
public final class InvalidNames: Sendable {
  /// What becomes of such a name.
  package enum Treatment: Sendable {
    /// It has its own row, which says what is wrong.
    case shown
    /// It is left out.
    case skipped
    /// It fails the run, before anything is done.
    case fatal
  }

  /// The most names that are reported individually; further ones are only counted.
  package static let mostNamed = 100

  private let treatment: Treatment
  private let note: @Sendable (Note) -> Void
  private let count = PosixMutex(0)

  package init(_ treatment: Treatment, _ note: @escaping @Sendable (Note) -> Void) {
    self.treatment = treatment
    self.note = note
  }

  /// Counts and reports a name.
  package func add(_ complaint: NameComplaint) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    if number <= Self.mostNamed { note(.invalidName(complaint, isSkipped: treatment == .skipped)) }
  }

  /// Targets without the names that are not valid, if those are left out.
  package func filter(_ targets: TargetStream) -> TargetStream {
    guard treatment == .skipped else { return targets }
    return targets.filtered { question in
      guard case .unreadable(let error) = question.target else { return true }
      self.add(.invalid(error))
      return false
    }
  }

  /// Reports how many there were, unless each was reported already.
  ///
  /// - Throws: ``OperationError`` `invalidNames` if one fails the run.
  package func finish() throws(OperationError) {
    let count = count.withLock(\.self)
    let unnamed = max(0, count - Self.mostNamed)
    switch treatment {
    case _ where count == 0: break
    case .skipped: note(.namesSkipped(count))
    case .shown: if unnamed > 0 { note(.moreInvalidNames(count, unnamed: unnamed)) }
    case .fatal: throw .invalidNames(count, unnamed: unnamed)
    }
  }
}
