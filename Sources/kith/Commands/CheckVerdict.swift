// SPDX-License-Identifier: Apache-2.0

import Relationships

/// The exit status of a check, gathered answer by answer.
///
/// What could not be learned is never a "no": a fault of any answer outweighs every yes and no.
struct CheckVerdict {
  private let predicate: Predicate?
  private let quantifier: Quantifier
  private var fault = ExitStatus.success
  private var count = 0
  private var holding = 0
  private var lastIsMissing = false
  private var unlearned = 0
  private var firstFault: RelationshipError?

  init(predicate: Predicate?, quantifier: Quantifier) {
    self.predicate = predicate
    self.quantifier = quantifier
  }

  mutating func add(_ answer: RelationshipAnswer) {
    count += 1
    lastIsMissing = false
    switch answer.state {
    case .known(let info): if predicate?.holds(for: info) == true { holding += 1 }
    // An account has no edge with itself (Q4).
    case .itself: if predicate == Predicate.none { holding += 1 }
    case .notFound: lastIsMissing = true
    case .failed(let error):
      fault = fault.orGraver(ExitStatus(error))
      // A bad line is named on its own, with its place.
      guard error.code != .invalidInput else { return }
      unlearned += 1
      firstFault = firstFault ?? error
    }
  }

  /// What a person is told of targets about whom nothing was learned; nil when there are none.
  var complaint: String? {
    firstFault.map { "\(unlearned) of \(count) could not be learned, the first because of this: \($0)" }
  }

  /// The status, once every answer was added. A missing account is a fault only where it is the only target.
  var status: ExitStatus {
    if fault != .success { return fault }
    if count == 1, lastIsMissing { return .notFound }
    guard predicate != nil else { return .success }
    let isYes = quantifier == .all ? holding == count : holding > 0
    return isYes ? .success : .no
  }
}
