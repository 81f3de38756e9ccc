// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

extension PDS {
  func offerReads(to routes: inout XRPCRoutes) {
    routes.add(Com.Atproto.Repo.GetRecord.self, answering: getRecord)
    routes.add(Com.Atproto.Repo.ListRecords.self, answering: listRecords)
    routes.add(Com.Atproto.Repo.DescribeRepo.self, answering: describeRepo)
    routes.add(Com.Atproto.Sync.GetRepoStatus.self, answering: repoStatus)
    routes.add(Com.Atproto.Sync.GetLatestCommit.self, answering: latestCommit)
  }

  @Sendable private func getRecord(
    _ parameters: Com.Atproto.Repo.GetRecord.Parameters, _: XRPCCaller
  ) throws(XRPCFault) -> Com.Atproto.Repo.GetRecord.Output {
    let (repository, now) = try repository(parameters.repo)
    let name = SandboxRecordName(collection: parameters.collection, key: parameters.rkey)
    let uri = network.uri(of: name, in: repository.account)
    guard let record = record(name, of: repository, now: now),
      parameters.cid == nil || parameters.cid == record.cid
    else {
      throw XRPCFault(status: 400, name: "RecordNotFound", message: "Could not locate record: \(uri)")
    }
    return Com.Atproto.Repo.GetRecord.Output(uri: uri, cid: record.cid, value: record.value)
  }

  @Sendable private func listRecords(
    _ parameters: Com.Atproto.Repo.ListRecords.Parameters, _: XRPCCaller
  ) throws(XRPCFault) -> Com.Atproto.Repo.ListRecords.Output {
    let (repository, now) = try repository(parameters.repo)
    let cursors = live.writing.cursors
    let page = try SandboxRecordPage(
      of: table(parameters.collection, of: repository, now: now), limit: parameters.limit ?? 50,
      cursor: try cursors.read(parameters.cursor), isReversed: parameters.reverse == true,
      collection: parameters.collection, dialect: dialect)
    return Com.Atproto.Repo.ListRecords.Output(
      cursor: page.cursor.map(cursors.written),
      records: page.entries.map { entry in
        let record = network.content(of: entry.record)
        return Com.Atproto.Repo.ListRecords.Record(
          uri: network.uri(
            of: SandboxRecordName(collection: parameters.collection, key: entry.key), in: repository.account),
          cid: record.cid, value: record.value)
      })
  }

  @Sendable private func describeRepo(
    _ parameters: Com.Atproto.Repo.DescribeRepo.Parameters, _: XRPCCaller
  ) throws(XRPCFault) -> Com.Atproto.Repo.DescribeRepo.Output {
    let (repository, now) = try repository(parameters.repo)
    return Com.Atproto.Repo.DescribeRepo.Output(
      handle: live.standings.handle(at: repository.account), did: network.dids[repository.account],
      didDoc: try didDocument(of: repository.account), collections: collections(of: repository, now: now),
      handleIsCorrect: true)
  }

  @Sendable private func repoStatus(
    _ parameters: Com.Atproto.Sync.GetRepoStatus.Parameters, _: XRPCCaller
  ) throws(XRPCFault) -> Com.Atproto.Sync.GetRepoStatus.Output {
    typealias Output = Com.Atproto.Sync.GetRepoStatus.Output
    let standings = live.standings
    guard let account = standings.index(of: .did(parameters.did)), standings.status(at: account) != .deleted
    else { throw unserved("RepoNotFound", parameters.did) }
    switch standings.status(at: account) {
    case .active, .deleted: return Output(did: parameters.did, active: true)
    case .suspended: return Output(did: parameters.did, active: false, status: .suspended)
    case .takenDown: return Output(did: parameters.did, active: false, status: .takendown)
    case .deactivated: return Output(did: parameters.did, active: false, status: .deactivated)
    }
  }

  @Sendable private func latestCommit(
    _ parameters: Com.Atproto.Sync.GetLatestCommit.Parameters, _: XRPCCaller
  ) throws(XRPCFault) -> Com.Atproto.Sync.GetLatestCommit.Output {
    _ = try served(parameters.did)
    if !live.writing.tellsLatestCommit {
      throw XRPCFault(status: 501, name: "MethodNotImplemented", message: "Method Not Implemented")
    }
    let (repository, now) = try repository(.did(parameters.did))
    let commit = live.latestCommit(of: repository, now: now)
    return Com.Atproto.Sync.GetLatestCommit.Output(cid: commit.cid, rev: commit.rev)
  }

  /// Returns the account of a repository that sync methods serve.
  ///
  /// - Throws: ``XRPCFault`` with the name that the lexicon gives the reason.
  func served(_ did: DID) throws(XRPCFault) -> Int {
    let standings = live.standings
    guard let account = standings.index(of: .did(did)) else { throw unserved("RepoNotFound", did) }
    switch standings.status(at: account) {
    case .active: return account
    case .suspended: throw unserved("RepoSuspended", did)
    case .takenDown: throw unserved("RepoTakendown", did)
    case .deactivated: throw unserved("RepoDeactivated", did)
    case .deleted: throw unserved("RepoNotFound", did)
    }
  }

  /// Creates the error of a sync method for a repository that is not served.
  private func unserved(_ name: String, _ account: DID) -> XRPCFault {
    XRPCFault(status: 400, name: name, message: "Could not find repo for DID: \(account)")
  }

  /// Returns the repository of an active account (Q18), and the time.
  private func repository(
    _ identifier: ATIdentifier
  ) throws(XRPCFault) -> (repository: SandboxRepository, now: Instant) {
    let standings = live.standings
    guard let account = standings.index(of: identifier), standings.status(at: account) == .active else {
      throw .invalidRequest("Could not find repo: \(identifier)")
    }
    return try live.withState { state, now in (state.repository(account), now) }
  }
}
