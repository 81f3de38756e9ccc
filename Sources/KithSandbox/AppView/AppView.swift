// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// The network as its AppView shows it to one viewer at one moment, with the answers of production.
struct AppView {
  let graph: LiveGraph
  let posts: PostTimeline
  /// Posts that were spread far beyond the usual.
  let wentRound: Set<Post>
  let mutes: Mutes
  let notices: Notices
  let paging: SandboxPaging
  /// The account that is signed in; nil if none is.
  let viewer: Int?
  let now: Instant

  var network: SandboxNetwork { graph.network }
  var standings: AccountStatuses { graph.standings }

  /// The account, unless it is deactivated, taken down or unknown.
  func visible(_ actor: ATIdentifier) -> Int? {
    standings.index(of: actor).flatMap { graph.isShown($0) ? $0 : nil }
  }

  /// The account, or the error for a list of an unknown account.
  func subject(_ actor: ATIdentifier) throws(XRPCFault) -> Int {
    guard let subject = visible(actor) else { throw .invalidRequest("Actor not found: \(actor)") }
    return subject
  }

  /// The account that is signed in.
  ///
  /// - Throws: ``XRPCFault`` 401 without a session.
  func requiredViewer() throws(XRPCFault) -> Int {
    guard let viewer else { throw .authMissing }
    return viewer
  }
}
