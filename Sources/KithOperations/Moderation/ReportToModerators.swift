// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
public import KithRelationships
public import KithWriting

/// Reports an account or a record to a moderation service. A report is sent once at most, and cannot be undone.
public struct ReportToModerators: KithOperation {
  /// What is asked before a report is sent.
  public struct Question: Sendable {
    public let report: Report
    /// The name of the reported account, or of the owner of the reported record.
    public let name: String

    public init(about name: String, _ report: Report) {
      self.report = report
      self.name = name
    }
  }

  /// The account or record, as a person named it.
  public var input: String
  public var subject: ReportInput
  public var reason: ReportReason
  /// The moderation service.
  public var service: ServiceReference
  /// The text for the moderators.
  public var text: String?
  /// Whether nothing is sent.
  public var isDryRun = false
  /// Answers whether to send the report; nil to send it without a question.
  public var confirm: (@Sendable (Question) async throws -> Bool)? = { _ in false }

  public init(
    _ subject: ReportInput, named input: String, because reason: ReportReason, to service: ServiceReference
  ) {
    self.subject = subject
    self.input = input
    self.reason = reason
    self.service = service
  }

  /// What became of a report.
  public struct Outcome: Sendable {
    /// The account that reports.
    public let account: AuthorizedAccount
    /// The reported account, or the owner of the reported record.
    public let owner: DID
    /// The result; planned if the answer was no.
    public fileprivate(set) var row: ReportRow
    /// The name of the owner in the question; nil if there was none.
    public fileprivate(set) var name: String?
    /// Whether the answer was no.
    public fileprivate(set) var isDeclined = false
    /// Why the service did not accept the report, or may not have received it.
    public fileprivate(set) var failure: RepositoryError?
  }

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
    if !isDryRun {
      if let confirm {
        let name = try await name(of: owner, workspace)
        outcome.name = name
        guard try await confirm(Question(about: name, draft)) else {
          outcome.isDeclined = true
          return outcome
        }
      }
      try await outcome.send()
      await workspace.remember("report", by: account.did, changed: outcome.failure?.code != .refused)
    }
    try await report.rows([outcome.row])
    return outcome
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
    let text = try ComposePosts.published(text, from: source)
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
