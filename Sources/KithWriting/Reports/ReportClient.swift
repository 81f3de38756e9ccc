// SPDX-License-Identifier: Apache-2.0

package import KithClient
internal import KithCore
internal import KithLexicons
internal import KithRelationships

/// Sends reports to a moderation service through the account's own PDS.
package struct ReportClient: Sendable {
  private let client: XRPCClient

  /// Creates a client that reports on behalf of an account.
  ///
  /// - Parameters:
  ///   - pds: a signed-in client for the account's PDS.
  ///   - service: the moderation service, such as `did:plc:…#atproto_labeler`.
  package init(pds: XRPCClient, to service: ServiceReference) {
    var client = pds
    client.configuration.proxy = service
    self.client = client
  }

  /// Sends a report once, without retrying, because duplicates count.
  ///
  /// - Throws: ``RepositoryError``: `inDoubt` if it may have arrived although no answer confirms it.
  ///   `CancellationError` only before anything was sent.
  package func send(_ report: Report) async throws -> ReportReceipt {
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
