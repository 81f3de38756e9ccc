// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
internal import ATProtoCore
internal import ATProtoLexicons
internal import Relationships

/// Where reports are handed in: a moderation service, through the account's own PDS.
public struct ReportClient: Sendable {
  private let client: XRPCClient

  /// Hands in reports in the name of an account.
  ///
  /// - Parameters:
  ///   - pds: asks the account's PDS, signed in.
  ///   - service: who moderates, as `did:plc:…#atproto_labeler`.
  public init(pds: XRPCClient, to service: ServiceReference) {
    var client = pds
    client.configuration.proxy = service
    self.client = client
  }

  /// Hands in a report, and never twice: each one counts.
  ///
  /// - Throws: ``RepositoryError``: `inDoubt` when it may have been taken although no answer says so;
  ///   `CancellationError` only before anything was sent.
  public func send(_ report: Report) async throws -> ReportReceipt {
    typealias Method = Com.Atproto.Moderation.CreateReport
    let subject: Method.Input.Subject =
      switch report.subject {
      case .account(let account): .repoRef(Com.Atproto.Admin.Defs.RepoRef(did: account))
      case .record(let uri, let cid): .strongRef(Com.Atproto.Repo.StrongRef(uri: uri, cid: cid))
      }
    try Task.checkCancellation()
    do {
      let output = try await client.call(
        Method.self, NoParameters(),
        input: Method.Input(reasonType: report.reason.type, reason: report.text, subject: subject))
      return ReportReceipt(id: output.id, reportedBy: output.reportedBy, createdAt: output.createdAt)
    } catch {
      throw RepositoryError(changing: error, by: Method.nsid)
    }
  }
}
