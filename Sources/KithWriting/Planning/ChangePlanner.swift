// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons
internal import KithRelationships

/// Turns an intent and the known facts into the writes and calls that are needed; none if the state holds
/// already.
///
/// Performs no I/O. Record keys are chosen here, so that a step can be retried and looked up under the same
/// keys.
package struct ChangePlanner: Sendable {
  /// The account whose relationships change.
  package let account: DID
  let keys: TIDClock
  private let time: TimeSource

  /// Creates a planner for an account.
  ///
  /// - Parameters:
  ///   - keys: generates the record keys; use one clock for everything that is planned in a process.
  ///   - time: dates the records.
  package init(account: DID, keys: TIDClock, time: TimeSource) {
    self.account = account
    self.keys = keys
    self.time = time
  }

  /// Plans changes in order; duplicates need no steps.
  package func plan(
    _ changes: some Sequence<ChangeIntent>, knowing knowledge: (ChangeIntent) -> SubjectFacts
  ) -> [PlannedChange] {
    var earlier: Set<ChangeIntent> = []
    return plan(changes, after: &earlier, knowing: knowledge)
  }

  /// Plans changes as ``plan(_:knowing:)-(_,(ChangeIntent)->SubjectFacts)`` does, after others.
  ///
  /// - Parameter earlier: the changes planned so far.
  func plan(
    _ changes: some Sequence<ChangeIntent>, after earlier: inout Set<ChangeIntent>,
    knowing knowledge: (ChangeIntent) -> SubjectFacts
  ) -> [PlannedChange] {
    changes.map { change in
      earlier.insert(change).inserted
        ? plan(change, knowing: knowledge(change))
        : PlannedChange(change, .holds, notes: [.namedTwice])
    }
  }

  /// Plans one change.
  package func plan(_ change: ChangeIntent, knowing known: SubjectFacts) -> PlannedChange {
    if let refusal = refusal(of: change) { return PlannedChange(change, .refused(refusal)) }
    switch change {
    case .edge(let edge, let wanted): return plan(edge, wanted, knowing: known)
    case .call(let call): return plan(call, knowing: known)
    case .list(let change): return plan(change, knowing: known)
    case .friends(let change): return plan(change, knowing: known)
    case .posts(let change): return plan(change, knowing: known)
    case .records(let change): return plan(change, knowing: known)
    case .profile(let edit): return plan(edit, knowing: known)
    }
  }

  /// Returns why a change is refused regardless of the facts.
  func refusal(of change: ChangeIntent) -> ChangeRefusal? {
    if change.account == account, change.isRefusedForOneself { return .oneself }
    guard let list = change.list, !list.isList else { return nil }
    // A block of a list may also be named by its own `listblock` record.
    if change.removedEdge?.kind == .listblock, list.listBlockKey(of: account) != nil { return nil }
    return .notAList(list)
  }

  // MARK: Mutes

  private func plan(_ call: ViewerCall, knowing known: SubjectFacts) -> PlannedChange {
    switch call {
    case .mute(let subject, let scope): mute(subject, scope, known)
    case .unmute(let subject): unmute(subject, known)
    case .muteList(let list): planned(call, former: .unmuteList(list), holds: known.listIsMuted)
    case .unmuteList(let list): planned(call, former: .muteList(list), holds: known.listIsMuted.map { !$0 })
    }
  }

  private func mute(_ subject: DID, _ scope: MuteScope, _ known: SubjectFacts) -> PlannedChange {
    let call = ViewerCall.mute(subject, scope)
    let notes = known.mute?.list.map { [ChangeNote.alsoMutedByList($0)] } ?? []
    let former: ViewerCall?
    switch known.mute?.direct {
    case .scope(scope): return PlannedChange(.call(call), .holds, notes: notes)
    case .scope(let other): former = .mute(subject, other)
    case .absent: former = .unmute(subject)
    case .hidden, nil: former = nil
    }
    return PlannedChange(.call(call), step(call, former), notes: notes)
  }

  private func unmute(_ subject: DID, _ known: SubjectFacts) -> PlannedChange {
    let call = ViewerCall.unmute(subject)
    let list = known.mute?.list
    let notes = list.map { [ChangeNote.mutedByList($0)] } ?? []
    let former: ViewerCall?
    switch known.mute?.direct {
    case .absent:
      return PlannedChange(.call(call), list.map { .refused(.mutedByList($0)) } ?? .holds)
    case .scope(let scope): former = .mute(subject, scope)
    case .hidden, nil: former = nil
    }
    return PlannedChange(.call(call), step(call, former), notes: notes)
  }

  private func planned(_ call: ViewerCall, former: ViewerCall, holds: Bool?) -> PlannedChange {
    PlannedChange(.call(call), holds == true ? .holds : step(call, holds == nil ? nil : former))
  }

  // MARK: Parts

  var now: Datetime { Datetime(at: time.instant) }

  private func step(_ call: ViewerCall, _ former: ViewerCall?) -> PlannedChange.Outcome {
    .steps([ChangeStep(subject: call.target, action: .call(call, former: former))])
  }

  func commits(_ subject: ChangeStep.Subject, _ writes: [RecordWrite]) -> PlannedChange.Outcome {
    .steps(ChangeStep.steps(subject, writes))
  }

  /// Creates the record of an edge, with a new key.
  func create(_ edge: RecordEdge) -> RecordWrite {
    var value: DataObject = [
      "$type": .string(edge.collection.description), "createdAt": .string(now.description),
    ]
    value["subject"] = (edge.account?.description ?? edge.list?.description).map { .string($0) }
    if edge.kind.target == .member { value["list"] = edge.list.map { .string($0.description) } }
    return RecordWrite(
      collection: edge.collection, rkey: RecordKey(tid: keys.next()), action: .create(.object(value)))
  }

  func delete(_ record: OwnRecord, _ collection: NSID) -> RecordWrite {
    RecordWrite(collection: collection, rkey: record.rkey, action: .delete(former: record.value))
  }

  func duplicates(_ records: [OwnRecord]) -> [ChangeNote] {
    records.count > 1 ? [.duplicates(records.count)] : []
  }

  func unknown(_ change: ChangeIntent, _ what: String) -> PlannedChange {
    PlannedChange(change, .refused(.unknown(what)))
  }
}

extension OwnRecord {
  /// Whether it is valid under the lexicon of its collection.
  func isSound(in collection: NSID) -> Bool {
    func holds<Record: EdgeRecord>(_: Record.Type) -> Bool {
      guard let record = try? value?.decode(Record.self) else { return false }
      return (try? record.validate()) != nil
    }
    return switch collection {
    case .follow: holds(App.Bsky.Graph.Follow.self)
    case .block: holds(App.Bsky.Graph.Block.self)
    case .listblock: holds(App.Bsky.Graph.Listblock.self)
    case .listitem: holds(App.Bsky.Graph.Listitem.self)
    default: value?["createdAt"]?.string.flatMap { Datetime($0) } != nil
    }
  }
}

extension ChangeIntent {
  /// Records that point to oneself may exist (Q24) and may be deleted, but not created.
  fileprivate var isRefusedForOneself: Bool {
    switch self {
    case .edge(let edge, let wanted): wanted.makesRecord && edge.kind.target == .account
    case .call(.mute), .call(.unmute), .friends(.request): true
    default: false
    }
  }
}
