// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import RelationshipWriting
import Relationships

/// Wishes with what each of them takes.
struct ChangePlan {
  let wishes: [RequestedChange]
  private let verb: ChangeVerb
  private let account: DID
  /// What each wish takes; nil for one about nobody.
  private let planned: [PlannedChange?]
  /// What is written down of them, in their order.
  let items: [JobItemDraft]

  /// - Parameter plans: of the wishes about somebody, in their order.
  init(_ wishes: [RequestedChange], _ plans: [PlannedChange], account: DID, verb: ChangeVerb) {
    self.wishes = wishes
    self.verb = verb
    self.account = account
    var plans = plans.makeIterator()
    planned = wishes.map { wish in if case .success = wish.change { plans.next() } else { nil } }
    items = zip(wishes, planned).flatMap { wish, planned in
      (planned?.steps ?? []).map { JobItemDraft(input: wish.input, step: $0) }
    }
  }

  /// Whether anything is to be sent at all.
  var takesSteps: Bool { !items.isEmpty }

  /// Points of the write budget that it costs.
  var points: Int { items.reduce(0) { $0 + $1.step.points } }

  /// How many wishes take something.
  var affected: Int { planned.count { $0?.steps.isEmpty == false } }

  /// What should be known about the one wish that takes something; empty where there are several.
  var notesOfOne: String {
    let affected = planned.compactMap(\.self).filter { !$0.steps.isEmpty }
    return affected.count == 1 ? affected[0].notes.map(\.description).joined(separator: "; ") : ""
  }

  /// What is to be said before very many follows.
  ///
  /// - Parameter following: whom the account follows now, where that is known.
  func warning(following: Int?) -> MassChangeWarning? {
    var (follows, unfollows) = (0, 0)
    for change in planned.compactMap(\.self) where !change.steps.isEmpty {
      switch change.change {
      case .follow: follows += 1
      case .unfollow: unfollows += 1
      default: break
      }
    }
    return MassChangeWarning(follows: follows, unfollows: unfollows, following: following)
  }

  /// What is wrong with a wish from the start.
  func fault(at position: Int) -> CommandFault? {
    if case .failure(let fault) = wishes[position].change { return fault }
    guard case .refused(let refusal)? = planned[position]?.outcome else { return nil }
    return CommandFault(ExitStatus(refusal), Message(refusal))
  }

  /// The row of a wish before anything is sent.
  ///
  /// - Parameter state: of one that takes steps.
  func row(at position: Int, as state: ChangeRow.State) -> ChangeRow {
    let wish = wishes[position]
    var row = ChangeRow(verb: verb.name, input: wish.input, state: state, account: account)
    if let planned = planned[position] {
      row.subject = planned.change.account?.description ?? planned.change.list?.description
      row.notes = planned.notes
      row.steps = planned.steps
      switch planned.outcome {
      case .steps: break
      case .holds: row.state = .unchanged
      case .refused(let refusal):
        row.state =
          switch refusal.code {
          case .notLearned: .error
          case .awaited: .pending
          default: .refused
          }
        row.reason = refusal.description
      }
    } else if let fault = fault(at: position) {
      row.state = fault.status == .notFound ? .notFound : .error
      row.reason = fault.message
    }
    return row
  }

  /// The row of a wish after its job was run.
  func row(at position: Int, after items: inout JobItems) async throws -> ChangeRow {
    var row = row(at: position, as: .done)
    for _ in row.steps {
      guard let item = try await items.next() else { break }
      let itemState = ChangeRow.State(item.state)
      if itemState != .done { (row.state, row.reason) = (itemState, item.state.reason) }
    }
    return row
  }
}

extension ChangeRow.State {
  /// What became of an item of a job.
  init(_ state: JobItemState) {
    self =
      switch state {
      case .pending: .pending
      case .inDoubt: .inDoubt
      case .done: .done
      case .skipped: .unchanged
      case .failed: .failed
      case .cancelled: .cancelled
      case .undone: .undone
      }
  }
}
