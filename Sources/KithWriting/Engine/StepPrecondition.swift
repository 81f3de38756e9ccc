// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// How much of a step may be done, given the current records.
enum StepPrecondition: Sendable, Hashable {
  /// Do this much of it.
  case proceed(ChangeStep)
  /// Skip it, for this reason.
  case leave(SkipReason)
  /// It cannot be done any longer, for this reason.
  case reject(SkipReason)

  /// Compares a step of an undo with the current records.
  ///
  /// Only what the job itself created or deleted is undone; later changes by the user are kept. A step that only
  /// deletes leaves out what was changed or is gone. Other steps are not split: one changed record skips the whole
  /// step. So does a missing record that the job created, if another was to be restored in its place. An edge that
  /// exists again is not created twice.
  /// - Parameters:
  ///   - present: the current content of each record, in the order of the writes; nil if there is none.
  ///   - snapshot: the other records of the edges that would be restored.
  init(_ step: ChangeStep, present: [DataValue?], beside snapshot: RepositorySnapshot = RepositorySnapshot())
  {
    guard case .write(let writes) = step.action else {
      self = .proceed(step)
      return
    }
    let standings = zip(writes, present).map { $0.standing(beside: $1, snapshot) }
    let isReplaced =
      standings.contains(.gone)
      && zip(writes, standings).contains { $0.makesRecord && ($1 == .needed || $1 == .heldAgain) }
    let needed = zip(writes, standings).filter { $1 == .needed }.map(\.0)
    let onlyDeletes = !writes.contains(where: \.makesRecord)
    for (write, standing) in zip(writes, standings)
    where standing == .changed && (!onlyDeletes || needed.isEmpty) || isReplaced && standing == .gone {
      self = .leave(write.wasChanged)
      return
    }
    if needed.contains(where: snapshot.lacksList) {
      self = .leave(.listIsGone)
    } else if !needed.isEmpty {
      self.init(making: needed, of: step, beside: snapshot)
    } else {
      self = .leave(standings.contains(.heldAgain) ? .holdsAgain : .nothingLeft)
    }
  }

  /// Compares a step that was planned some time ago with the repository. What another app did meanwhile does
  /// not belong to the job, and undoing the job must not undo it.
  ///
  /// A record that was changed meanwhile skips the whole step, because the plan would overwrite that change.
  /// - Parameter wasInDoubt: whether the step itself may have changed or deleted the records.
  init(resuming step: ChangeStep, beside snapshot: RepositorySnapshot, wasInDoubt: Bool) {
    guard case .write(let writes) = step.action else {
      self = .proceed(step)
      return
    }
    let updates = writes.map { $0.standing(amongUpdatesOf: snapshot) }
    if let changed = zip(writes, updates).first(where: { $1 == .changed }) {
      self = .leave(changed.0.wasChanged)
      return
    }
    guard !writes.contains(where: snapshot.holds) else {
      self = .proceed(step)
      return
    }
    let needed = zip(writes, updates).filter { write, standing in
      !snapshot.isHeldByAnother(write) && (wasInDoubt || !snapshot.isGone(write) && standing != .holds)
    }.map(\.0)
    if needed.contains(where: snapshot.lacksList) {
      self = .reject(.listIsGone)
    } else if !needed.isEmpty {
      self.init(making: needed, of: step, beside: snapshot)
    } else {
      self = .leave(writes.contains(where: \.makesRecord) ? .holdsAlready : .isGone)
    }
  }

  /// Proceeds with what is needed of a step, and with the members that a list to be deleted has got meanwhile.
  private init(making needed: [RecordWrite], of step: ChangeStep, beside snapshot: RepositorySnapshot) {
    let writes = snapshot.deletionsOfStrays(besides: needed) + needed
    self =
      writes.count <= max(needed.count, RecordWrite.mostPerCommit)
      ? .proceed(step.writing(writes)) : .reject(.listHasGrown)
  }
}

extension RecordWrite {
  fileprivate enum Standing {
    /// It has to be done.
    case needed
    /// The desired state holds; for a deletion, the record is gone.
    case holds, gone
    /// Another record expresses the same edge.
    case heldAgain
    case changed
  }

  /// Why it is skipped.
  fileprivate var wasChanged: SkipReason { .changed("\(collection)/\(rkey)") }

  /// How an update relates to the current record; `needed` if it is not an update or the record was not asked
  /// about.
  fileprivate func standing(amongUpdatesOf snapshot: RepositorySnapshot) -> Standing {
    guard case .update = action, let present = snapshot.value(of: self) else { return .needed }
    return standing(beside: present, snapshot)
  }

  fileprivate func standing(beside present: DataValue?, _ snapshot: RepositorySnapshot) -> Standing {
    switch action {
    case .create(let value):
      guard let present else { return snapshot.isHeldByAnother(self) ? .heldAgain : .needed }
      return says(value, as: present) ? .holds : .changed
    case .update(let value, let former):
      guard let present else { return .changed }
      if says(value, as: present) { return .holds }
      return former.map { says($0, as: present) } == true ? .needed : .changed
    case .delete(let former):
      guard let present else { return .gone }
      return former.map { says($0, as: present) } == true ? .needed : .changed
    }
  }
}

/// Why a step of a job is skipped; the journal stores the sentence.
enum SkipReason: Sendable, Hashable {
  case holdsAlready
  case isGone
  /// It was removed by others before this job got to it.
  case wasGone
  /// Something else has created what an undo would restore.
  case holdsAgain
  case nothingLeft
  /// The time after which it was to be undone has passed.
  case expired
  /// What was to get another end has got one from another job, or was undone.
  case endChanged
  /// A later job changed what an undo would restore.
  case changedByLaterJob
  /// The record at this path was changed since it was read.
  case changed(String)
  /// The list of a member to be added was deleted.
  case listIsGone
  /// A list to be deleted has got more members than fit in its last commit.
  case listHasGrown
  /// The item that it depends on was not done.
  case dependencyFailed
  /// A file that the record names is gone for good: the server has deleted it, and there is no copy.
  case fileIsGone
  /// The server gives new records keys of its own, and the step needs the chosen one.
  case keyNotKept
  /// The server gave a new record a key of its own, and the step needed the chosen one.
  case deletedAgain
  /// Another job is about to do the same.
  case awaited(JobID)
  /// A commit of another job may have done the same.
  case inDoubtElsewhere(JobID)
}

extension SkipReason: CustomStringConvertible {
  var description: String {
    switch self {
    case .holdsAlready: "already done"
    case .isGone: "already gone"
    case .wasGone: "was already gone"
    case .holdsAgain: "exists again"
    case .nothingLeft: "nothing left to undo"
    case .expired: "not sent: its end has passed"
    case .endChanged: "another job changed its end, or it has ended"
    case .changedByLaterJob: "a later job changed it"
    case .changed(let record): "the record \(record) has changed since"
    case .listIsGone: "not sent: the list was deleted"
    case .listHasGrown: "not sent: the list has got new members; delete it again"
    case .keyNotKept: "not sent: the server gives new records keys of its own, and this needs the chosen key"
    case .deletedAgain: "deleted again: the server gave the record another key than this needs"
    case .awaited(let job): "job \(job) is about to do the same"
    case .fileIsGone: "cannot come back: the server has deleted a picture of it, and no copy was kept"
    case .dependencyFailed: "not sent: the change that it depends on failed"
    case .inDoubtElsewhere(let job): "not sent: job \(job) has the same change in doubt; settle that first"
    }
  }
}

extension JobItemState {
  /// The state of a change of an end that is not made, because another one was made since it was planned.
  package static var endChanged: JobItemState { .skipped(SkipReason.endChanged.description) }
}
