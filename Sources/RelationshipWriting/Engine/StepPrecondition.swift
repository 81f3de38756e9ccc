// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// How much of a step may be done, now that the records are known.
enum StepPrecondition: Sendable, Hashable {
  /// Do this much of it.
  case proceed(ChangeStep)
  /// Leave it alone, for this reason.
  case leave(SkipReason)

  /// Compares what takes a step back with the records as they are.
  ///
  /// Only what the job itself made or removed is taken back: what the user changed since then is left alone. One
  /// record that was changed leaves its whole step alone, for steps are not split; so does one that the job made and
  /// that is gone, where another was to come back in its place. An edge that holds again is not made twice.
  /// - Parameters:
  ///   - present: what each record says now, in the order of the writes; nil where there is none.
  ///   - snapshot: the other records of the edges that would be made again.
  init(_ step: ChangeStep, present: [DataValue?], beside snapshot: RepositorySnapshot = RepositorySnapshot())
  {
    guard case .write(let writes) = step.action else {
      self = .proceed(step)
      return
    }
    let standings = zip(writes, present).map { $0.standing(beside: $1, snapshot) }
    let isReplaced = standings.contains(.gone) && standings.contains { $0 == .needed || $0 == .heldAgain }
    for (write, standing) in zip(writes, standings)
    where standing == .changed || isReplaced && standing == .gone {
      self = .leave(write.wasChanged)
      return
    }
    let needed = zip(writes, standings).filter { $1 == .needed }.map(\.0)
    if !needed.isEmpty {
      self = .proceed(ChangeStep(subject: step.subject, action: .write(needed)))
    } else {
      self = .leave(standings.contains(.heldAgain) ? .holdsAgain : .nothingLeft)
    }
  }

  /// Compares a step that was planned some time ago with what the repository holds: what another app has done
  /// meanwhile is not the job's, and undoing the job must not take it back.
  ///
  /// A record that was changed meanwhile leaves its whole step alone, for what was planned of it would overwrite
  /// that.
  /// - Parameter wasInDoubt: whether it may be the step itself that changed records or took them away.
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
    if !needed.isEmpty {
      self = .proceed(ChangeStep(subject: step.subject, action: .write(needed)))
    } else {
      self = .leave(writes.contains(where: \.makesRecord) ? .holdsAlready : .isGone)
    }
  }
}

extension RecordWrite {
  fileprivate enum Standing {
    /// It is to be done.
    case needed
    /// What it is to bring about is so: for a record that is to go, that it is gone.
    case holds, gone
    /// Another record says what the one would that it makes.
    case heldAgain
    case changed
  }

  /// Why it is left alone.
  fileprivate var wasChanged: SkipReason { .changed("\(collection)/\(rkey)") }

  /// How an update stands to the record; needed, as it were, where it is none or nobody asked for the record.
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

/// Why a step of a job is left alone; the journal keeps the sentence.
enum SkipReason: Sendable, Hashable {
  case holdsAlready
  case isGone
  /// A commit that nobody knew of had removed it before this job came to it.
  case wasGone
  /// What an undo would make again was made by something else.
  case holdsAgain
  case nothingLeft
  /// A later job changed what an undo would take back.
  case changedByLaterJob
  /// Somebody changed the record at this path since it was read.
  case changed(String)
  /// The item without which it is not to be sent was not done.
  case dependencyFailed
  /// Another job is to do the same.
  case awaited(JobID)
  /// A commit of another job may have done the same.
  case inDoubtElsewhere(JobID)
}

extension SkipReason: CustomStringConvertible {
  var description: String {
    switch self {
    case .holdsAlready: "it holds already"
    case .isGone: "it is gone already"
    case .wasGone: "it was gone already"
    case .holdsAgain: "it holds again"
    case .nothingLeft: "nothing is left to take back"
    case .changedByLaterJob: "a later job changed it"
    case .changed(let record): "the record \(record) was changed since"
    case .awaited(let job): "job \(job) is to do the same"
    case .dependencyFailed: "not sent: the change that it depends on failed"
    case .inDoubtElsewhere(let job): "not sent: job \(job) has the same in doubt; settle that job first"
    }
  }
}
