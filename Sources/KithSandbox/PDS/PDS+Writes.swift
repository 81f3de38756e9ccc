// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension PDS {
  private typealias Repo = Com.Atproto.Repo

  func offerWrites(to routes: inout XRPCRoutes) {
    routes.add(Repo.CreateRecord.self, answering: createRecord)
    routes.add(Repo.PutRecord.self, answering: putRecord)
    routes.add(Repo.DeleteRecord.self, answering: deleteRecord)
    routes.add(Repo.ApplyWrites.self, answering: applyWrites)
  }

  /// A second follow or block of the same account replaces the first, unless validation is off (Q16).
  @Sendable private func createRecord(
    _ input: Repo.CreateRecord.Input, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<Repo.CreateRecord.Output> {
    let action: PreparedWrite.Action = dialect == .arroba ? .put : .create
    return try asWriter(of: input.repo, caller, points: 3) { account throws(XRPCFault) in
      let name = SandboxRecordName(
        collection: input.collection, key: kept(input.rkey) ?? live.nextKey())
      let (record, status) = try checked(input.record, in: name.collection, validate: input.validateValue)
      let commit = try live.commit(
        [PreparedWrite(action: action, name: name, written: record, status: status)], to: account,
        swap: input.swapCommit,
        replacing: dialect == .reference && input.validateValue != false)
      return Repo.CreateRecord.Output(
        uri: network.uri(of: name, in: account), cid: record.cid, commit: commit,
        validationStatus: status.map { $0 == .valid ? .valid : .unknown })
    }
  }

  @Sendable private func putRecord(
    _ input: Repo.PutRecord.Input, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<Repo.PutRecord.Output> {
    try asWriter(of: input.repo, caller, points: 2) { account throws(XRPCFault) in
      let name = SandboxRecordName(collection: input.collection, key: input.rkey)
      let (record, status) = try checked(input.record, in: name.collection, validate: input.validateValue)
      let write = PreparedWrite(
        action: .put, name: name, written: record, status: status,
        swap: input.swapRecord.map { $0.value.map { .cid($0) } ?? .nothing })
      let commit = try live.commit([write], to: account, swap: input.swapCommit)
      return Repo.PutRecord.Output(
        uri: network.uri(of: name, in: account), cid: record.cid, commit: commit,
        validationStatus: status.map { $0 == .valid ? .valid : .unknown })
    }
  }

  /// Deleting a missing record succeeds (Q17), but not on every server.
  @Sendable private func deleteRecord(
    _ input: Repo.DeleteRecord.Input, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<Repo.DeleteRecord.Output> {
    try asWriter(of: input.repo, caller, points: 1) { account throws(XRPCFault) in
      let write = PreparedWrite(
        action: dialect == .lenient ? .delete : .discard,
        name: SandboxRecordName(collection: input.collection, key: input.rkey),
        swap: input.swapRecord.map { .cid($0) })
      return Repo.DeleteRecord.Output(
        commit: try live.commit([write], to: account, swap: input.swapCommit))
    }
  }

  @Sendable private func applyWrites(
    _ input: Repo.ApplyWrites.Input, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<Repo.ApplyWrites.Output> {
    let points = input.writes.reduce(0) { $0 + Self.action(of: $1).points }
    return try asWriter(of: input.repo, caller, points: points) { account throws(XRPCFault) in
      let most = live.writing.mostWrites
      let isUnlimited = dialect == .lenient && most == SandboxWriting().mostWrites
      guard isUnlimited || input.writes.count <= most else {
        throw .invalidRequest("Too many writes. Max: \(most)")
      }
      // The lenient server gives all records of a request the same key if the client does not specify one.
      let shared = dialect == .lenient && !live.writing.choosesKeys ? live.nextKey() : nil
      var writes: [PreparedWrite] = []
      for write in input.writes {
        writes.append(try prepared(write, sharedKey: shared, validate: input.validateValue))
      }
      let acknowledgement = live.writing.acknowledgement
      if acknowledgement == .nothingWritten { return Repo.ApplyWrites.Output() }
      if acknowledgement == .nothingWrittenNoResults { return Repo.ApplyWrites.Output(results: []) }
      let commit = try live.commit(writes, to: account, swap: input.swapCommit)
      if acknowledgement == .missing { return Repo.ApplyWrites.Output() }
      return Repo.ApplyWrites.Output(
        commit: commit, results: writes.map { result(of: $0, account: account) })
    }
  }

  // MARK: Steps

  /// Charges a write to the session's account, checks that the repository is its own, and writes.
  private func asWriter<Output>(
    of repo: ATIdentifier, _ caller: XRPCCaller, points: Int,
    _ write: (_ account: Int) throws(XRPCFault) -> Output
  ) throws(XRPCFault) -> XRPCReply<Output> {
    let account = try live.account(of: caller)
    let fields = try live.withState { state, now throws(XRPCFault) in
      try state.points.spend(points, of: account, at: now)
    }
    do throws(XRPCFault) {
      try checkOwnership(of: repo, by: account)
      return XRPCReply(try write(account), fields: fields)
    } catch {
      var fault = error
      fault.fields += fields
      throw fault
    }
  }

  private func checkOwnership(of repo: ATIdentifier, by session: Int) throws(XRPCFault) {
    if dialect == .lenient, case .handle = repo { throw .authenticationRequired }
    let standings = live.standings
    guard let account = standings.index(of: repo) else {
      throw .invalidRequest("Could not find repo: \(repo)")
    }
    guard account == session else { throw .authenticationRequired }
    guard standings.status(at: account) == .active else { throw .invalidRequest("Account is deactivated") }
  }

  private func checked(
    _ record: DataValue, in collection: NSID, validate: Bool?
  ) throws(XRPCFault) -> (WrittenRecord, RecordValidation.Status?) {
    var value = record
    if dialect != .lenient, case .object(var fields) = record, fields["$type"] == nil {
      fields["$type"] = .string(collection.description)
      value = .object(fields)
    }
    let status = try RecordValidation(dialect).check(value, in: collection, wanted: validate)
    return (WrittenRecord(value), status)
  }

  /// The key that a client chose for a new record, if this server keeps it.
  private func kept(_ key: RecordKey?) -> RecordKey? { live.writing.choosesKeys ? nil : key }

  private func prepared(
    _ write: Repo.ApplyWrites.Input.WritesElement, sharedKey: RecordKey?, validate: Bool?
  ) throws(XRPCFault) -> PreparedWrite {
    switch write {
    case .create(let create):
      let key = kept(create.rkey) ?? sharedKey ?? live.nextKey()
      let (record, status) = try checked(create.value, in: create.collection, validate: validate)
      return PreparedWrite(
        action: .create, name: SandboxRecordName(collection: create.collection, key: key), written: record,
        status: status)
    case .update(let update):
      let (record, status) = try checked(update.value, in: update.collection, validate: validate)
      return PreparedWrite(
        action: .update, name: SandboxRecordName(collection: update.collection, key: update.rkey),
        written: record, status: status)
    case .delete(let delete):
      return PreparedWrite(
        action: .delete, name: SandboxRecordName(collection: delete.collection, key: delete.rkey))
    }
  }

  private static func action(of write: Repo.ApplyWrites.Input.WritesElement) -> PreparedWrite.Action {
    switch write {
    case .create: .create
    case .update: .update
    case .delete: .delete
    }
  }

  private func result(
    of write: PreparedWrite, account: Int
  ) -> Repo.ApplyWrites.Output.ResultsElement {
    let uri = network.uri(of: write.name, in: account)
    switch (write.action, write.written) {
    case (.create, let written?):
      return .createResult(
        Repo.ApplyWrites.CreateResult(
          uri: uri, cid: written.cid,
          validationStatus: write.status.map { $0 == .valid ? .valid : .unknown }))
    case (_, let written?):
      return .updateResult(
        Repo.ApplyWrites.UpdateResult(
          uri: uri, cid: written.cid,
          validationStatus: write.status.map { $0 == .valid ? .valid : .unknown }))
    case (_, nil): return .deleteResult(Repo.ApplyWrites.DeleteResult())
    }
  }
}
