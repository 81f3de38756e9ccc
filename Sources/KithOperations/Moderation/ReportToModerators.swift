// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
public import KithRelationships
public import KithWriting

/// Reports an account or a record to a moderation service. A report is sent once at most, and cannot be undone.
public struct ReportToModerators: EstimatedOperation {
  public static let name = "reportToModerators"

  /// The moderation service of the public network, as the text of a `ServiceReference`.
  public static let publicModeration = "did:plc:ar7c4by46qjdydhdevvrndac#atproto_labeler"

  /// The account or record, as a person named it.
  public var input: String
  public var subject: ReportInput
  public var reason: ReportReason
  /// The moderation service.
  public var service: ServiceReference
  /// The text for the moderators.
  public var text: String?
  /// Whether the account is blocked as well once the report is sent; nil to ask then.
  public var blocks: Bool?
  /// Whether the report is sent without a question.
  public var isConfirmed = false
  /// Whether nothing is sent.
  public var isPreview = false
  /// How the job of the block is run.
  public var options = JobOptions()
  /// How long consecutive failures of the block are tolerated; nil for as long as by the options.
  public var patience: Duration?

  public init(
    _ subject: ReportInput, named input: String, because reason: ReportReason, to service: ServiceReference
  ) {
    self.subject = subject
    self.input = input
    self.reason = reason
    self.service = service
  }

  /// What became of a report.
  public struct Outcome: OperationOutcome {
    /// The account that reports.
    public let account: AuthorizedAccount
    /// The reported account, or the owner of the reported record.
    public let owner: DID
    /// The result; planned if the answer was no.
    public internal(set) var row: ReportRow
    /// Whether the answer was no.
    public fileprivate(set) var isDeclined = false
    /// Why the service did not accept the report, or may not have received it.
    public fileprivate(set) var failure: RepositoryError?
    /// Whether the account could be blocked as well: that was neither wanted nor asked about.
    public fileprivate(set) var offersBlock = false
    /// What became of the block; nil if there was none.
    public fileprivate(set) var block: ChangeRunOutcome?
    /// Why the block failed before anything of it was recorded. The report was sent nevertheless.
    public fileprivate(set) var blockFailure: (any Error)?

    public var ending: Ending {
      if isDeclined { return .declined }
      let failure = self.failure.map { FailureKind(any: $0) }
      if let blockFailure { return .partly(FailureKind(any: blockFailure).orMoreSevere(failure)) }
      switch block?.ending {
      case .partly(let kind), .interrupted(.failed(let kind)): return .partly(kind.orMoreSevere(failure))
      case .interrupted(let cause): return .interrupted(cause)
      case .done, .declined, nil: return failure.map { .partly($0) } ?? .done
      }
    }

    public var fields: [OutputField] {
      [
        OutputField("subject", .text(owner)), OutputField("state", .string(row.state.rawValue)),
        OutputField("id", .number(row.receipt?.id)), OutputField("failure", .cause(failure)),
        OutputField("block", block.map { .object($0.ending.fields + $0.fields) } ?? .null),
        OutputField("blockFailure", .cause(blockFailure)),
      ]
    }
  }

  /// Asks, sends the report, and then blocks the account if that is wanted.
  ///
  /// - Throws: ``OperationError`` `ownAccount` and `noSuchRecord`; `SessionError` if no account is signed in; errors of
  ///   the question. Nothing was sent then.
  public func run(in workspace: Workspace, _ report: Reporter<ReportRow>) async throws -> Outcome {
    let account = try await workspace.account()
    let owner = try await workspace.identities.did(of: subject.owner)
    guard owner != account.did else { throw OperationError.ownAccount(input) }
    let text = try text.map { text throws(OperationError) in try Self.text(text, from: "the text") }
    let draft = Report(try await subject(of: owner, workspace), reason: reason, text: text)
    var outcome = Outcome(
      account: account, owner: owner, row: ReportRow(input: input, report: draft, service: service))
    guard !isPreview else {
      try await report.rows([outcome.row])
      return outcome
    }
    var name: String?
    if !isConfirmed {
      let named = try await self.name(of: owner, workspace)
      guard try await report.ask(.report(draft, name: named)) else {
        outcome.isDeclined = true
        return outcome
      }
      name = named
    }
    try await outcome.send()
    await workspace.remember("report", by: account.did, changed: outcome.failure?.code != .refused)
    report.note(.preparing(.reported(outcome.row, outcome.failure)))
    // The row follows even if the block fails; otherwise the report would be sent again.
    await block(name, in: workspace, report, &outcome)
    try await report.rows([outcome.row])
    return outcome
  }

  private func block(
    _ name: String?, in workspace: Workspace, _ report: Reporter<ReportRow>, _ outcome: inout Outcome
  ) async {
    do {
      if blocks == nil {
        guard outcome.row.state == .reported else { return }
        guard let name else { return outcome.offersBlock = true }
        guard try await report.ask(.blockReported(outcome.owner, name: name)) else { return }
      } else if blocks == false {
        return
      }
      var block = Change(
        RequestedChanges(
          [RequestedChange(input, .success(.block(outcome.owner)))], as: .block,
          asking: ConfirmationRule(from: 2)))
      (block.options, block.patienceForOne, block.isConfirmed) = (options, patience, isConfirmed)
      let done = try await block.run(
        in: workspace, Reporter(rows: { _ in }, note: report.note, progress: report.progress, ask: report.ask)
      )
      outcome.block = done
      outcome.row.isBlocked = done.ending == .done
    } catch {
      outcome.blockFailure = error
    }
  }

  /// What the report costs, and the block if it is wanted.
  public func cost(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void
  ) async throws -> CostPlan {
    var estimate = try await ChangeEstimate(in: workspace, for: options, note)
    if blocks == true {
      try await estimate.read([.edges(.follow)])
      estimate.add(subject.owner) { .block($0) }
    } else {
      estimate.addName(subject.owner)
    }
    if let record = subject.record { estimate.addRecord(of: record.collection) }
    estimate.addCalls("com.atproto.moderation.createReport")
    return try await estimate.plan()
  }

  /// The subject of the report; a record is reported in its current version.
  private func subject(of owner: DID, _ workspace: Workspace) async throws -> Report.Subject {
    guard let record = subject.record else { return .account(owner) }
    let uri = ATURI(authority: .did(owner), collection: record.collection, recordKey: record.rkey)
    let client = try await workspace.repository(of: owner)
    guard let version = try await RecordVersion.read(uri, client: client) else {
      throw OperationError.noSuchRecord(uri)
    }
    return .record(uri, version.cid)
  }

  /// The account's handle; its DID if it has no verified handle.
  private func name(of owner: DID, _ workspace: Workspace) async throws -> String {
    if case .handle(let handle) = subject.owner { return "\(handle)" }
    do {
      let identity = try await workspace.identities.identity(of: .did(owner))
      guard let handle = identity.handle, identity.handleIsProven == true else { return "\(owner)" }
      return "\(handle)"
    } catch is IdentityError {
      return "\(owner)"
    }
  }
}

extension ReportToModerators.Outcome {
  fileprivate mutating func send() async throws {
    do {
      row.receipt = try await ReportClient(pds: account.pds, to: row.service).send(row.report)
      row.state = .reported
    } catch let error as RepositoryError {
      failure = error
      row.state = error.code == .inDoubt ? .inDoubt : .failed
      row.reason = error.description
    }
  }
}

extension ReportToModerators {
  /// Returns the text of a report as it may be sent: without a byte order mark, and within the limits of the lexicon.
  ///
  /// - Parameter source: the name of the file, for the error.
  /// - Throws: ``OperationError`` `controlCharacter`, `textTooLong`.
  public static func text(_ text: String, from source: String) throws(OperationError) -> String {
    let text = try PublishPosts.published(text, from: source)
    guard text.count <= 2_000, text.utf8.count <= 20_000 else { throw .textTooLong(source) }
    return text
  }
}

extension OperationError {
  package static func ownAccount(_ input: String) -> OperationError {
    OperationError(
      .ownAccount, .notAllowed, input, "that is your own account", ["input": .string(input)])
  }

  package static func noSuchRecord(_ uri: ATURI) -> OperationError {
    OperationError(
      .noSuchRecord, .notFound, "\(uri)", "no such record; report the account instead", ["uri": .text(uri)])
  }

  package static func textTooLong(_ source: String) -> OperationError {
    OperationError(
      .textTooLong, .usage, source,
      "too long; the text of a report has at most 2000 characters and 20000 bytes",
      ["file": .string(source)])
  }
}
