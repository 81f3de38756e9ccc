// SPDX-License-Identifier: Apache-2.0

import KithClient
public import KithCore
import KithHistory
public import KithInsights
public import KithRelationships

/// Sets the goal of an account, a number of followers, or shows its progress. There is a row unless there is no goal.
public struct TrackGoal: KithOperation {
  public static let name = "trackGoal"

  public var actor: DID
  /// The new goal; nil to leave it as it is.
  public var followers: Int?

  public init(of actor: DID, followers: Int? = nil) {
    self.actor = actor
    self.followers = followers
  }

  public struct Outcome: OutcomeOfRows {
    /// The account.
    public let actor: DID
    /// Its names.
    public let view: AccountView?
    /// Why there is no forecast; nil if there is one, or if none is needed.
    public let refusal: Forecast.Refusal?
    /// How the rows ended.
    public let rows: RowsOutcome

    public var fields: [OutputField] {
      [OutputField]([
        "rows": .integer(rows.count),
        "account": .text(actor),
        "noForecast": .text(refusal?.code),
      ])
    }
  }

  /// - Throws: ``OperationError`` `followersUnknown`; errors of the AppView and of the stores.
  public func run(in workspace: Workspace, _ report: Reporter<GoalRow>) async throws -> Outcome {
    let store = try workspace.history()
    let view = try await AccountViews(client: workspace.appview).views(of: [actor])[actor]
    let now = workspace.time.instant
    guard let counts = view?.counts, let value = counts.followers else {
      throw OperationError.followersUnknown(actor.name(in: view))
    }
    // Each recorded count improves the next forecast.
    try await store.record(CountSample(at: now, counts), of: actor)
    // The same goal again keeps the progress that was made.
    if let followers {
      let former = try await store.goal(of: actor)
      if former?.followers != followers {
        try await store.set(FollowerGoal(followers, from: value, since: now), of: actor)
      }
      await workspace.remember(
        "goal", by: nil, changed: former?.followers != followers,
        reversal: .goal(actor, former.map(ChangeReversal.Goal.init)))
    }
    let goal = try await store.goal(of: actor)
    let history = try await ProfileCounts(of: actor, in: store, until: now)
    let row = goal.map { goal in
      let forecast = Forecast.result(of: history.followers)
      return GoalRow(
        account: actor, handle: view?.handle, since: goal.since,
        progress: GoalProgress(goal.followers, from: goal.start, now: value, forecast: forecast))
    }
    var refusal: Forecast.Refusal?
    if case .noForecast(let reason)? = row?.progress.outlook { refusal = reason }
    let rows = await report.deliver([row].compactMap(\.self))
    return Outcome(actor: actor, view: view, refusal: refusal, rows: rows)
  }
}

extension Forecast.Refusal {
  fileprivate var code: String {
    switch self {
    case .tooShort: "tooShort"
    case .tooInaccurate: "tooInaccurate"
    }
  }
}
