// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import KithClient
internal import KithCore
internal import KithRelationships
internal import KithWriting

extension Job {
  /// Reads a row of `jobs`.
  init(_ row: Row) throws {
    let id = JobID(number: row["id"])
    guard let account = DID(row["account"] as String), let state = JobState(rawValue: row["state"]) else {
      throw JobError.journal(
        id, "the journal of job \(id) cannot be read; a newer version may have written it")
    }
    self.init(
      id: id, account: account, title: row["title"], state: state,
      createdAt: Datetime(at: row.time("created_at")),
      until: row.instant("until").map(Datetime.init(at:)), limit: WriteLimit(row),
      kinds: ChangeKindText.kinds(in: row["kinds"]),
      undoes: (row["undoes"] as Int64?).map(JobID.init(number:)), proposal: try JobProposal(row, of: id),
      approvedAs: (row["ordinal"] as Int64?).map(JobID.init(number:)),
      endedAt: row.instant("ended_at").map(Datetime.init(at:)), note: row["note"])
  }
}

extension JobProposal {
  /// Reads the columns of a proposal; nil if the job was not proposed.
  fileprivate init?(_ row: Row, of job: JobID) throws {
    guard let text = row["digest"] as String? else { return nil }
    guard let digest = PlanDigest(text), let end = row.instant("expires_at") else {
      throw JobError.journal(job, "the proposal of job \(job) cannot be read")
    }
    self.init(
      digest: digest, expiresAt: Datetime(at: end), steps: row["proposed_steps"] ?? 0,
      points: row["proposed_points"] ?? 0,
      lifetime: row.instant("lifetime").map { $0 - .epoch })
  }
}

extension WriteLimit {
  /// Reads the columns of a job's limit; nil if it has none.
  fileprivate init?(_ row: Row) {
    guard let leave = row["leave"] as Int? else { return nil }
    self.init(
      perHour: row["per_hour"], perDay: row["per_day"], leave: leave, changesPerHour: row["changes_per_hour"],
      changesPerDay: row["changes_per_day"])
  }
}

extension JobItem {
  /// Reads a row of `items` with the state of the item that it depends on.
  init(_ row: Row) throws {
    let id = JobID(number: row["job"])
    let position: Int = row["position"]
    do {
      self.init(
        position: position, input: row["input"],
        step: try StepText.step(row["step"], about: row["subject"]), state: try JobItemState(row),
        origin: row["origin"], until: row.instant("until").map(Datetime.init(at:)),
        dependency: try Dependency(row), wasInDoubt: row["was_in_doubt"])
    } catch {
      throw JobError.journal(id, "item \(position) of job \(id) cannot be read: \(DecodingFault(error))")
    }
  }
}

extension JobHistoryEntry {
  /// Reads a row of `items`.
  init(_ row: Row) throws {
    let (id, position, state): (Int64, Int, String) = (row["job"], row["position"], row["state"])
    do {
      guard let kind = JobItemState.Kind(rawValue: state) else {
        throw StepText.Fault(description: "its state is unknown")
      }
      self.init(
        job: JobID(number: id), position: position,
        until: row.instant("until").map(Datetime.init(at:)),
        state: kind, step: try StepText.step(row["step"], about: row["subject"]),
        wasInDoubt: row["was_in_doubt"], revision: row["revision"],
        order: (row["ordinal"] as Int64?).map(JobID.init(number:)))
    } catch {
      let job = JobID(number: id)
      throw JobError.journal(job, "item \(position) of job \(job) cannot be read: \(DecodingFault(error))")
    }
  }
}

extension JobItem.Dependency {
  fileprivate init?(_ row: Row) throws {
    guard let position = row["depends_on"] as Int? else { return nil }
    guard let state = (row["dependency_state"] as String?).flatMap(JobItemState.Kind.init) else {
      throw StepText.Fault(description: "the item that it depends on does not exist")
    }
    self.init(position: position, state: state)
  }
}

extension JobItemState {
  fileprivate init(_ row: Row) throws {
    let reason: String = row["reason"] ?? ""
    switch (Kind(rawValue: row["state"]), row["commit_number"] as Int?) {
    case (.pending, _): self = .pending
    case (.inDoubt, let commit?): self = .inDoubt(commit: commit)
    case (.done, _): self = .done
    case (.skipped, _): self = .skipped(reason)
    case (.failed, _): self = .failed(reason)
    case (.cancelled, _): self = .cancelled
    case (.undone, _): self = .undone
    default: throw StepText.Fault(description: "its state is unknown")
    }
  }
}
