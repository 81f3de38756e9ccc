// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
public import KithHistory
import KithRelationships

/// Lists the changes between snapshots of an account, latest first: who came, who left, and why.
public struct ListChanges: KithOperation {
  public static let name = "listChanges"

  /// Names per lookup: eight parallel calls.
  private static let batchSize = 8 * AccountViews.batchSize

  /// The account whose history it is.
  public var actor: DID
  public var filter: HistoryFilter
  /// The most rows; nil for all.
  public var limit: Int?
  /// Whether to ask the AppView for the current names of accounts.
  public var wantsNames: Bool

  public init(
    of actor: DID, _ filter: HistoryFilter = HistoryFilter(), limit: Int? = nil, wantsNames: Bool = false
  ) {
    self.actor = actor
    self.filter = filter
    self.limit = limit
    self.wantsNames = wantsNames
  }

  /// How a listing ended.
  public struct Outcome: OutcomeOfRows {
    /// The number of changes of each kind.
    public fileprivate(set) var kinds: [HistoryChange.Kind: Int] = [:]
    /// The number of losses with each cause.
    public fileprivate(set) var causes: [LossCause: Int] = [:]
    /// How the rows ended.
    public fileprivate(set) var rows = RowsOutcome()

    fileprivate mutating func add(_ change: HistoryChange) {
      kinds[change.kind, default: 0] += 1
      if let cause = change.loss?.cause { causes[cause, default: 0] += 1 }
    }

    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "kinds": .counts(kinds.map { ($0.rawValue, $1) }),
        "causes": .counts(causes.map { ($0.rawValue, $1) }),
      ])
    }
  }

  /// - Throws: ``OperationError`` `noHistory`; `HistoryError` if there is no snapshot of the account.
  public func run(in workspace: Workspace, _ report: Reporter<HistoryRow>) async throws -> Outcome {
    let changes = try await History(try workspace.historyToRead(), now: workspace.time.instant).changes(
      of: actor, filter)
    let names = workspace.names()
    var outcome = Outcome()
    var waiting: [HistoryChange] = []
    outcome.rows = await report.deliver { rows in
      for try await change in changes.prefix(limit ?? .max) {
        outcome.add(change)
        waiting.append(change)
        if waiting.count == Self.batchSize { try await hand(&waiting, to: &rows, names) }
      }
      try await hand(&waiting, to: &rows, names)
    }
    return outcome
  }

  /// Hands over the changes that are waiting for names.
  private func hand(
    _ changes: inout [HistoryChange], to rows: inout RowBatch<HistoryRow>, _ names: AccountNames
  ) async throws {
    let views = try await names.views(of: changes.map(\.account), asking: wantsNames)
    for change in changes { try await rows.append(HistoryRow(change: change, view: views[change.account])) }
    try await rows.flush()
    changes = []
  }
}
