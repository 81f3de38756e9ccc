// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

extension ChangePlan {
  /// What identifies the content of the plan.
  public var digest: PlanDigest { PlanDigest(of: lines, by: account) }

  /// What the plan changes, in the order of the requests.
  var lines: [PlanLine] { changes.lines(of: account) }
}

// What is changed, without what differs whenever it is planned again.

extension [PlannedChange] {
  /// What they change, in order.
  func lines(of account: DID) -> [PlanLine] {
    PlanLine.all(of: lazy.map { ($0.change, $0.steps, $0.changesJobs) }, by: account)
  }
}

extension PlanLine {
  /// The lines of some changes, in order: of the steps of each, and of the steps of other jobs that it cancels.
  static func all(
    of changes: some Collection<(change: ChangeIntent, steps: [ChangeStep], changesJobs: Bool)>,
    by account: DID
  ) -> [PlanLine] {
    var lists: [ATURI: String] = [:]
    for case (.list(.create(let list, let draft)), let steps, _) in changes where !steps.isEmpty {
      lists[list] = draft.name
    }
    return changes.flatMap { change, steps, changesJobs in
      steps.flatMap { $0.lines(of: account, naming: lists) }
        + (changesJobs ? [PlanLine("withdraw", of: change.subjects.first?.description ?? "")] : [])
    }
  }
}

extension ChangeStep {
  /// What the step changes.
  ///
  /// - Parameter lists: the names of lists that are created together with it, whose URIs differ as well.
  func lines(of account: DID, naming lists: [ATURI: String] = [:]) -> [PlanLine] {
    switch action {
    case .write(let writes): writes.map { line(of: $0, account, lists) }
    case .call(let call, let former): [line(of: call, former)]
    case .end(let change):
      [PlanLine("end", of: subject.description, saying: change.until == nil ? "permanent" : "timed")]
    case .decline(let decline):
      [
        PlanLine(
          decline.isTakenBack ? "reopen" : "decline", of: decline.request.uri.description,
          saying: decline.request.cid.description)
      ]
    }
  }

  private func line(of call: ViewerCall, _ former: ViewerCall?) -> PlanLine {
    switch call {
    case .mute(let account, let scope): return PlanLine("mute", of: "\(account)", saying: scope.rawValue)
    case .unmute(let account):
      // One mute of several scopes ends: which one matters.
      guard case .mute(_, let scope)? = former else { return PlanLine("unmute", of: "\(account)") }
      return PlanLine("unmute", of: "\(account)", saying: scope.rawValue)
    case .muteList(let list): return PlanLine("mute", of: "\(list)")
    case .unmuteList(let list): return PlanLine("unmute", of: "\(list)")
    }
  }

  private func line(of write: RecordWrite, _ account: DID, _ lists: [ATURI: String]) -> PlanLine {
    switch write.action {
    case .create(let value):
      PlanLine(
        "create", write.collection, of: subject(of: write, value, lists),
        saying: value.said(besides: write.skipped(in: value)))
    case .update(let value, let former):
      PlanLine(
        "update", write.collection, of: subject(of: write, value, lists),
        saying: value.changes(of: former, besides: write.skipped(in: value)))
    case .delete(let former):
      PlanLine(
        "delete", write.collection,
        of: former.flatMap { write.edge(of: $0) }?.text(lists)
          ?? "\(ATURI(authority: .did(account), collection: write.collection, recordKey: write.rkey))")
    }
  }

  /// What a record that is written is about.
  private func subject(of write: RecordWrite, _ value: DataValue, _ lists: [ATURI: String]) -> String {
    write.edge(of: value)?.text(lists) ?? subject.description
  }
}

extension RecordEdge {
  fileprivate func text(_ lists: [ATURI: String]) -> String {
    let list = list.map { lists[$0].map { "\(ChangeStep.Subject.listName($0))" } ?? "\($0)" }
    return [account?.description, list, post?.description].compactMap(\.self).joined(separator: " ")
  }
}

extension RecordWrite {
  /// The fields that the subject names already, or that differ whenever it is planned.
  fileprivate func skipped(in value: DataValue) -> Set<String> {
    switch (collection, role) {
    case (.threadgate, _), (.postgate, _): ["$type", "createdAt", "post"]
    // The subject is the digest of all of them; they name each other's keys and hashes.
    case (_, .newRecord): Set(value.object?.names ?? [])
    case (_, .namedRecord): ["$type"]
    case (_, .ofCollection):
      edgeKind == nil ? ["$type", "createdAt"] : ["$type", "createdAt", "subject", "list"]
    }
  }
}

extension DataValue {
  /// The fields of a new record as JSON; empty without any.
  fileprivate func said(besides skipped: Set<String>) -> String {
    guard var fields = object else { return PlanLine.json(self) }
    for name in skipped { fields[name] = nil }
    return fields.isEmpty ? "" : PlanLine.json(DataValue.object(fields))
  }

  /// The fields that differ from those of a former record, as JSON; null for those that are removed.
  fileprivate func changes(of former: DataValue?, besides skipped: Set<String>) -> String {
    guard let fields = object else { return PlanLine.json(self) }
    let formers = former?.object ?? [:]
    var changes = DataObject()
    for name in Set(fields.names + formers.names).subtracting(skipped) where fields[name] != formers[name] {
      changes[name] = fields[name] ?? .null
    }
    return PlanLine.json(DataValue.object(changes))
  }
}
