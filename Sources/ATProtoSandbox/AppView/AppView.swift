// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import ATProtoLexicons

/// The network as its AppView shows it at one moment to one viewer, answered as production answers.
struct AppView {
  let graph: LiveGraph
  let posts: PostTimeline
  /// Posts that were passed on far beyond the usual.
  let wentRound: Set<Post>
  let mutes: Mutes
  let paging: Sandbox.Paging
  /// Whose session asks; nil for nobody's.
  let viewer: Int?
  /// In microseconds since 1970.
  let now: Int64

  var network: SandboxNetwork { graph.network }
  var standings: Standings { graph.standings }

  /// The account, unless it is deactivated, taken down or unknown.
  func visible(_ actor: ATIdentifier) -> Int? {
    standings.index(of: actor).flatMap { graph.isShown($0) ? $0 : nil }
  }

  /// The account, or the error of a list that is asked for of nobody.
  func subject(_ actor: ATIdentifier) throws(XRPCFault) -> Int {
    guard let subject = visible(actor) else { throw .invalidRequest("Actor not found: \(actor)") }
    return subject
  }

  /// Whose session asks.
  ///
  /// - Throws: ``XRPCFault`` 401 for nobody's.
  func requiredViewer() throws(XRPCFault) -> Int {
    guard let viewer else { throw .authMissing }
    return viewer
  }
}
