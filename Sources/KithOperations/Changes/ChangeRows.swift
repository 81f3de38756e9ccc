// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting

/// The rows of requested changes, in the order of the requests. A row is available once all its items are
/// settled.
struct ChangeRows: Sendable {
  private let requests: [RequestedChange]
  /// The verb of the rows.
  private let title: String
  /// Whether each row names its own change instead.
  private let namesEach: Bool
  private let account: DID
  /// The plan of each request; nil if its account was not found.
  private let planned: [PlannedChange?]
  private let job: JobID?
  /// The job that waits for a yes; nil for any other.
  private let proposal: JobID?
  /// The state of a row before the outcome of its steps is known.
  private let taken: ChangeRow.State
  /// What rows of blocks say about what stays.
  private let remains: OtherRecordsOfBlocked?
  private var outcomes: [Int: JobItemState] = [:]
  /// Steps that were done otherwise than planned, by their place in the job.
  private var steps: [Int: ChangeStep] = [:]
  private var position = 0
  /// When what is done is undone; nil if it is permanent.
  private let until: Datetime?
  /// The position of the first item of the next request.
  private var item = 0
  /// The totals of the rows returned so far.
  private(set) var tally: ChangeTally

  /// - Parameters:
  ///   - plan: the plan of the requests whose account was found, in order.
  ///   - job: nil if nothing is sent.
  ///   - proposal: the job that waits for a yes, which the rows name.
  ///   - taken: the state of requests with steps, if nothing is sent.
  ///   - tally: the totals of earlier rows.
  init(
    _ requests: [RequestedChange], _ plan: ChangePlan, title: String, namingEach namesEach: Bool = false,
    job: JobID? = nil, proposal: JobID? = nil, until: Datetime? = nil,
    ifTaken taken: ChangeRow.State = .pending,
    beside remains: OtherRecordsOfBlocked? = nil, after tally: ChangeTally = ChangeTally()
  ) {
    self.requests = requests
    self.title = title
    self.namesEach = namesEach
    (self.job, self.proposal) = (job, proposal)
    self.taken = taken
    self.remains = remains
    self.until = until
    account = plan.account
    var changes = plan.changes.makeIterator()
    planned = requests.map { request in if case .success = request.change { changes.next() } else { nil } }
    self.tally = tally
  }

  /// The number of rows.
  var count: Int { requests.count }

  /// Whether any of the rows so far was done by the job.
  private(set) var hasDone = false

  /// Adds what became of items, by their place in the job.
  ///
  /// - Parameter steps: those that were done otherwise than planned.
  mutating func add(_ states: [Int: JobItemState], as steps: [Int: ChangeStep] = [:]) {
    outcomes.merge(states) { $1 }
    self.steps.merge(steps) { $1 }
  }

  /// The next row; nil at the end, or if it is not settled yet.
  ///
  /// - Parameter whatever: whether to return unsettled rows, too.
  mutating func next(whatever: Bool = false) -> ChangeRow? {
    guard position < requests.count else { return nil }
    let count = planned[position]?.steps.count ?? 0
    let places = item..<(item + count)
    let states = job == nil ? [] : places.compactMap { outcomes[$0] }
    if !whatever, job != nil, states.count < count || states.contains(where: { !$0.isFinal }) { return nil }
    var row = row(at: position)
    if job != nil, count > 0 {
      row.steps = zip(places, row.steps).map { self.steps.removeValue(forKey: $0) ?? $1 }
      // The server may have given new records other keys.
      switch row.steps.first?.subject {
      case .listName, .newRecords: row.subject = row.steps.first?.subjectText(in: account)
      default: break
      }
      row.job = job
      row.state = .done
      for state in states where ChangeRow.State(state) != .done {
        (row.state, row.reason) = (ChangeRow.State(state), state.reason.map { .item($0) })
      }
      for place in places { outcomes[place] = nil }
      if row.state == .done { hasDone = true }
      if row.steps.contains(where: { $0.end == nil }) { row.until = requests[position].until ?? until }
    }
    if count > 0 { row.job = row.job ?? proposal }
    tally.add(row)
    item += count
    position += 1
    return row
  }

  /// The row of a request before the outcome of its steps is known.
  private func row(at position: Int) -> ChangeRow {
    let name = namesEach ? planned[position]?.change.title : nil
    var row = ChangeRow(verb: name ?? title, input: requests[position].input, state: taken, account: account)
    if case .failure(let refusal as ChangeRefusal) = requests[position].change {
      (row.state, row.reason) = (.refused, .refused(refusal))
    } else if case .failure(let error) = requests[position].change {
      row.state =
        switch FailureKind(error) {
        case .notFound: .notFound
        case .notAllowed: .refused
        default: .error
        }
      row.reason = .unusable(error)
    }
    row.graph = requests[position].graph
    guard let planned = planned[position] else { return row }
    row.subject =
      planned.change.account?.description ?? planned.change.list?.description
      ?? (planned.change.post ?? planned.change.record)?.description
      ?? planned.steps.first?.subjectText(in: account)
    row.notes = planned.notes + (remains?.notes(for: planned) ?? [])
    row.steps = planned.steps
    switch planned.outcome {
    case .steps: break
    case .holds:
      // What is withdrawn from a job is done, although nothing is sent.
      row.state = !planned.changesJobs ? .unchanged : job == nil && taken == .planned ? .planned : .done
    case .refused(let refusal):
      row.state =
        switch refusal.code {
        case .notLearned: .error
        case .noSuchAccount: .notFound
        case .awaited, .unsettled: .pending
        default: .refused
        }
      row.reason = .refused(refusal)
    }
    return row
  }
}

extension JobItemState {
  /// Whether its state is final for this run.
  fileprivate var isFinal: Bool { kind != .pending && kind != .inDoubt }
}

extension ChangeRow.State {
  /// The state of an item of a job.
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
