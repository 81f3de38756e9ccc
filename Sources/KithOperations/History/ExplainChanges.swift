// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithHistory
public import KithRelationships

/// Explains what happened between an account and another one, oldest first: a row for each answer of a server.
public struct ExplainChanges: KithOperation {
  public static let name = "explainChanges"

  /// The account whose history it is.
  public var actor: DID
  /// The account that came or left.
  public var account: DID
  /// Only the last changes; nil for all.
  public var limit: Int?
  /// Whether to ask the AppView for the current name of the account.
  public var wantsNames: Bool

  public init(of actor: DID, about account: DID, limit: Int? = nil, wantsNames: Bool = false) {
    self.actor = actor
    self.account = account
    self.limit = limit
    self.wantsNames = wantsNames
  }

  /// How an explanation ended.
  public struct Outcome: OutcomeOfRows {
    /// The known names of the account.
    public let view: AccountView?
    /// Whether anything ever changed.
    public let hasChanges: Bool
    /// The listings that contain the account, and what was observed first of it.
    public let presence: [(listing: HistoryListing, since: Observation)]
    /// How the rows ended.
    public let rows: RowsOutcome

    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "hasChanges": .bool(hasChanges),
        "presentIn": .array(presence.map { .string($0.listing.side.rawValue) }),
      ])
    }
  }

  /// - Throws: ``OperationError`` `noHistory`.
  public func run(in workspace: Workspace, _ report: Reporter<EvidenceRow>) async throws -> Outcome {
    let history = History(try workspace.historyToRead(), now: workspace.time.instant)
    let changes = try await history.changes(of: actor, about: account)
    let presence = try await history.presence(of: account, with: actor)
    let view = try await workspace.names().views(of: [account], asking: wantsNames)[account]
    let rows = await report.deliver(
      changes.suffix(limit ?? .max).flatMap { change in
        let findings: [Evidence.Finding?] = change.loss.map { $0.evidence.findings } ?? []
        return (findings.isEmpty ? [nil] : findings).map {
          EvidenceRow(change: change, view: view, finding: $0)
        }
      })
    return Outcome(view: view, hasChanges: !changes.isEmpty, presence: presence, rows: rows)
  }
}
