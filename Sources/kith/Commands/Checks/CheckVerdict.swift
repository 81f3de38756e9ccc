// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Relationships

/// Collects answers into the exit status of a check.
///
/// A failed lookup is never a "no": an error in any answer outweighs every yes and no.
struct CheckVerdict {
  private let predicate: AccountPredicate?
  private let quantifier: Quantifier
  private var faults = FaultTally()
  private(set) var count = 0
  private var holding = 0
  private var selves = 0
  private var itself: DID?
  private var missing = 0
  private var firstMissing: Message?

  init(predicate: AccountPredicate?, quantifier: Quantifier) {
    self.predicate = predicate
    self.quantifier = quantifier
  }

  mutating func add(_ answer: RelationshipAnswer) {
    count += 1
    switch answer.state {
    case .known(let info):
      switch holds(for: info) {
      case true?: holding += 1
      case false?: break
      // Only mutes can be unknown in a relationship.
      case nil: faults.add(CommandFault(.unavailable, .mutesUnknown(answer.input ?? info.target.description)))
      }
    case .itself:
      selves += 1
      itself = answer.target
    case .notFound(let reason):
      missing += 1
      firstMissing = firstMissing ?? .notFound(answer.input ?? answer.target?.description ?? "", reason)
    case .failed(let error): faults.add(CommandFault(error))
    }
  }

  /// Whether the predicate holds for the account itself, which has no relationship.
  private var holdsForOneself: Bool {
    itself.map { holds(for: .withItself($0).muted(false)) == true } ?? false
  }

  /// Whether the predicate holds; nil if unknown.
  private func holds(for info: RelationshipInfo) -> Bool? {
    guard let predicate else { return false }
    return predicate.holds(for: AccountFacts(AccountView(info.target), relationships: [.actor: info]))
  }

  /// The message in addition to the rows; nil if they say everything.
  var complaint: Message? {
    if count == 0 { return .noInput("targets") }
    return faults.complaint(among: count) ?? (status == .notFound ? firstMissing : nil)
  }

  /// The status, after every answer was added.
  ///
  /// A missing account is an error only if it is the only target, or if no other target is left to decide.
  var status: ExitStatus {
    if faults.status != .success { return faults.status }
    if count == 1, missing == 1 { return .notFound }
    guard predicate != nil else { return .success }
    // An empty list of targets must not look like a yes.
    if count == 0 { return .no }
    // An account has no relationship with itself (Q4), so the actor among its own targets does not count.
    if selves == count { return holdsForOneself ? .success : .no }
    if missing == count - selves { return .notFound }
    let isYes = quantifier == .all ? holding == count - selves : holding > 0
    return isYes ? .success : .no
  }
}
