// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
internal import KithLexicons

/// Audits an account: compares its records with what the AppView shows, and checks its identity and its
/// server.
///
/// The audit changes nothing. A failed lookup is counted as undecided; it is never a finding.
package struct AccountAudit: Sendable {
  /// What to check.
  package struct Options: Sendable {
    /// The kinds of findings to look for. ``AuditFinding/Kind/inactive`` costs two calls per followed
    /// account; ``AuditFinding/Kind/onList`` needs an index and one call per list.
    package var kinds: Set<AuditFinding.Kind>
    /// An account is inactive if its repository has not changed for this long.
    package var inactiveFor: Duration

    /// By default looks for everything except inactive accounts.
    package init(
      kinds: Set<AuditFinding.Kind> = Set(AuditFinding.Kind.allCases).subtracting([.inactive]),
      inactiveFor: Duration = .seconds(180 * 86_400)
    ) {
      self.kinds = kinds
      self.inactiveFor = inactiveFor
    }
  }

  /// Smaller clock differences (in seconds) are ignored: dates have whole seconds, and calls take time.
  static let clockTolerance = 30

  private let account: DID
  private let pds: XRPCClient
  private let listings: Listings
  private let own: Listings

  /// Creates an audit of an account.
  ///
  /// - Parameters:
  ///   - pds: a signed-in client for the account's server.
  ///   - listings: preferably signed out; used to find the repositories of others and, through an index, the
  ///     lists that include the account.
  ///   - own: listings signed in as the account, for the lists that it mutes and blocks.
  package init(of account: DID, pds: XRPCClient, listings: Listings, own: Listings) {
    self.account = account
    self.pds = pds
    self.listings = listings
    self.own = own
  }

  /// Checks one part after another.
  ///
  /// - Parameters:
  ///   - progress: called for each record and each listed account that was read.
  ///   - onFindings: called with the findings of each part when the part is done.
  /// - Returns: what could not be checked.
  /// - Throws: what `onFindings` throws; `CancellationError`. A failing part does not stop the others.
  package func run(
    _ options: Options = Options(), progress: @escaping @Sendable (Int) -> Void = { _ in },
    onFindings: ([AuditFinding]) async throws -> Void
  ) async throws -> AuditCoverage {
    var coverage = AuditCoverage()
    let kinds = options.kinds
    func examine(
      _ part: AuditCoverage.Part, for wanted: Set<AuditFinding.Kind>,
      _ body: (inout [AuditFinding], inout AuditCoverage) async throws -> Void
    ) async throws {
      guard !wanted.isDisjoint(with: kinds) else { return }
      var findings: [AuditFinding] = []
      do { try await body(&findings, &coverage) } catch let error as CancellationError { throw error } catch {
        coverage.faults.append((part, error))
      }
      let byKind = Dictionary(grouping: findings, by: \.kind)
      let wanted = AuditFinding.Kind.allCases.filter(kinds.contains).flatMap { byKind[$0] ?? [] }
      if !wanted.isEmpty { try await onFindings(wanted) }
    }
    try await examine(.server, for: [.pds, .clock, .status], examineServer)
    try await examine(.identity, for: [.handle, .pds, .status], examineIdentity)
    let follows = FollowAudit(of: account, pds: pds, listings: listings, options)
    try await examine(.follows, for: AuditFinding.Kind.ofFollows.union([.duplicate, .selfEdge, .malformed])) {
      try await follows.run(&$0, &$1, progress)
    }
    try await examine(.blocks, for: [.duplicate, .selfEdge, .malformed]) { findings, _ in
      let blocks = try await OwnEdges(.block, of: account, client: pds) { progress(1) }
      findings += blocks.findings(in: account)
    }
    let lists = ListAudit(of: account, pds: pds, listings: listings)
    try await examine(.lists, for: [.duplicate, .malformed, .deadListBlock, .orphanMembers]) {
      try await lists.run(&$0, &$1, kinds, progress)
    }
    try await examine(.subscriptions, for: [.subscription]) { findings, _ in
      for try await list in own.blockedLists() {
        findings.append(AuditFinding(list, records: list.block.map { [$0] } ?? [], "blocked"))
      }
      for try await list in own.mutedLists() { findings.append(AuditFinding(list, records: [], "muted")) }
    }
    if let index = listings.index {
      try await examine(.onLists, for: [.onList]) { try await lists.findMemberships(index, &$0, &$1) }
    }
    return coverage
  }

  // MARK: Identity and server

  private func examineServer(
    _ findings: inout [AuditFinding], _ coverage: inout AuditCoverage
  ) async throws {
    let time = pds.time
    var clock: ServerClock?
    let client = pds.wrapping { transport in
      let listener = ServerClock(transport, time: time)
      clock = listener
      return listener
    }
    let answer = try await AccountStatuses.answer(about: account, of: client)
    if answer == .unclear {
      coverage.add(undecided: 1, nil)
    } else if answer != .active {
      // After a migration, the old server keeps the account as deactivated.
      let place = try await listings.identities.document(of: account).pds
      if let place, place.origin != pds.service.origin {
        findings.append(
          AuditFinding(
            .pds,
            detail: "signed in at \(pds.service), which no longer hosts the account; its server is \(place)")
        )
      } else {
        findings.append(
          AuditFinding(.status, detail: "the server reports the account as \(answer.rawValue)"))
      }
    }
    if let lead = clock?.serverLead, lead.components.seconds.magnitude > Self.clockTolerance {
      let seconds = lead.components.seconds.magnitude
      let way = lead > .zero ? "behind" : "ahead of"
      findings.append(
        AuditFinding(
          .clock,
          detail: "this machine's clock is \(seconds) s \(way) the server's clock; new "
            + "records would get wrong dates"))
    }
  }

  private func examineIdentity(
    _ findings: inout [AuditFinding], _ coverage: inout AuditCoverage
  ) async throws {
    let identity = try await listings.identities.identity(of: .did(account))
    if identity.pds == nil {
      findings.append(AuditFinding(.pds, detail: "the DID document has no repository server"))
    }
    if let handle = identity.handle {
      switch identity.handleIsProven {
      case true?: break
      case false?:
        let sources = identity.contradictedBy.map { "\($0)" }.joined(separator: ", ")
        let why = sources.isEmpty ? "" : "  (\(sources) points elsewhere)"
        findings.append(
          AuditFinding(.handle, detail: "\(handle) does not resolve to the account\(why)"))
      case nil: coverage.undecided += 1
      }
    } else {
      findings.append(AuditFinding(.handle, detail: "the DID document has no handle"))
    }
    let found = try await listings.statuses.survey([account])[account]
    if let view = found?.view {
      guard let shown = view.handle, let handle = identity.handle, shown != handle else { return }
      findings.append(
        AuditFinding(.handle, detail: "the AppView shows \(shown), the DID document says \(handle)"))
    } else if let status = found?.outcome.evidence.status, status != .active {
      findings.append(
        AuditFinding(.status, detail: "the AppView reports the account as \(status.rawValue)"))
    } else {
      coverage.add(undecided: 1, found?.outcome.fault)
    }
  }
}

extension AuditCoverage {
  /// Adds accounts that could not be decided.
  mutating func add(undecided count: Int, _ fault: (any Error)?) {
    undecided += count
    undecidedFault = undecidedFault ?? fault
  }
}

extension AuditFinding {
  fileprivate init(_ list: ListSummary, records: [ATURI], _ verb: String) {
    self.init(
      .subscription, AccountView(list.owner, handle: list.ownerHandle), list: list.uri, records: records,
      detail: "\(verb): \(list.name)")
  }
}

extension OwnEdges {
  /// Findings that follow from the records of edges to accounts alone.
  func findings(in account: DID) -> [AuditFinding] {
    var findings = duplicated.keys.sorted().compactMap { DID($0) }.map { subject in
      duplicate(subject, AccountView(subject), in: account)
    }
    if !self[account].isEmpty {
      findings.append(AuditFinding(.selfEdge, AccountView(account), records: uris(account, in: account)))
    }
    return findings + unreadable.findings
  }

  func uris(_ subject: some SyntaxIdentifier, in account: DID) -> [ATURI] {
    self[subject].map { ATURI(authority: .did(account), collection: kind.collection, recordKey: $0.rkey) }
  }

  func duplicate(
    _ subject: some SyntaxIdentifier, _ view: AccountView?, list: ATURI? = nil, in account: DID
  ) -> AuditFinding {
    let records = uris(subject, in: account)
    return AuditFinding(
      .duplicate, view, list: list, records: records, detail: "\(records.count) records",
      edge: self[subject].lazy.compactMap { $0.value }.compactMap { RecordEdge($0, in: kind.collection) }
        .first)
  }
}

extension MalformedRecords {
  /// Findings for the kept malformed records; of the others only the number is known.
  var findings: [AuditFinding] {
    first.map { record in
      AuditFinding(
        .malformed, records: ATURI(record.uri).map { [$0] } ?? [], detail: record.reason)
    }
  }
}
