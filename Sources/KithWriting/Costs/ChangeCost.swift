// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithLexicons
package import KithRelationships

/// The upper bound of what changes cost, from the changes and a few counts. Changes that already hold cost
/// less.
package struct ChangeCost: Sendable {
  /// Records in the account's own repository, as an AppView counts them.
  package struct Counts: Sendable, Hashable {
    /// Follow records; nil if unknown.
    package var follows: Int?
    /// Lists; nil if unknown.
    package var lists: Int?
    /// Entries of all lists; nil if unknown.
    package var listItems: Int?
    /// Entries of the lists that are to be deleted.
    package var deletedItems: [ATURI: Int]

    /// Creates counts. Servers do not count blocks.
    package init(
      follows: Int? = nil, lists: Int? = nil, listItems: Int? = nil, deletedItems: [ATURI: Int] = [:]
    ) {
      (self.follows, self.lists, self.listItems) = (follows, lists, listItems)
      self.deletedItems = deletedItems
    }

    /// Records of a collection; nil if unknown.
    package subscript(collection: NSID) -> Int? {
      switch collection {
      case .follow: follows
      case .list: lists
      case .listitem: listItems
      default: nil
      }
    }
  }

  private let changes: [ChangeIntent]
  private let counts: Counts
  private let planning: FactCost
  private let writesPerCommit: Int
  private let assumptions: CostPlan.Assumptions

  /// Adds up what changes of an account cost.
  ///
  /// - Parameters:
  ///   - changes: each once. A DID may stand for an account that is not resolved yet: only the number counts.
  ///   - writesPerCommit: the most writes in one commit.
  ///   - assumptions: what the changes themselves depend on.
  package init(
    of changes: [ChangeIntent], by account: DID, counts: Counts,
    writesPerCommit: Int = RecordWrite.mostPerCommit, assuming assumptions: CostPlan.Assumptions = []
  ) {
    self.changes = changes
    self.counts = counts
    planning = FactCost(of: changes, by: account)
    self.writesPerCommit = max(1, writesPerCommit)
    self.assumptions = assumptions
  }

  /// Points of the write budget. An edge with several records costs one more point for each additional record
  /// that is deleted (Q16).
  package var points: Int {
    changes.reduce(0) { $0 + $1.mostWrites(counts).reduce(0) { $0 + $1.points } }
  }

  /// Adds the calls for planning and executing the changes to a plan.
  ///
  /// Own records that are kept and current cost no calls. Each commit of another app during the run costs as many as
  /// reading them, and so does each commit to a server that does not compare commits.
  /// - Parameter wait: how long the write budget delays the run; nil if it never allows it.
  package func add(to plan: inout CostPlan, wait: Duration?) {
    plan.wait = wait
    addPlanning(to: &plan)
    plan.add(
      "\(Com.Atproto.Repo.ApplyWrites.nsid)", calls: isCounted ? commits(wait ?? .zero) : nil,
      payload: 250 * writes.reduce(0, +), points: points, inTurn: true, assuming: facts)
    var calls: [String: Int] = [:]
    for change in changes { if let method = change.method { calls["\(method)", default: 0] += 1 } }
    for (method, count) in calls.sorted(by: { $0.key < $1.key }) {
      plan.add(method, calls: count, payload: 100 * count, inTurn: true, assuming: facts)
    }
  }

  private var facts: CostPlan.Assumptions { assumptions.union(.facts) }

  /// Whether the number of entries is known for each list to be deleted.
  private var isCounted: Bool {
    changes.allSatisfy { change in
      guard case .list(.delete(let list)) = change else { return true }
      return (counts.deletedItems[list] ?? counts.listItems) != nil
    }
  }

  /// Adds what ``FactLoader/knowledge(for:verifying:progress:)`` asks.
  private func addPlanning(to plan: inout CostPlan) {
    plan.add(
      "\(App.Bsky.Graph.GetRelationships.nsid)", calls: planning.relationshipCalls,
      payload: planning.relationshipCalls * 30 * 190,
      assuming: planning.relationshipCallsAreCertain ? assumptions : facts)
    plan.addOwnRecords(planning.collections.map { ($0, count: counts[$0]) })
    plan.add(
      CostPlan.profiles, calls: planning.muteCalls, payload: changes.count * CostPlan.bytesPerProfile,
      inTurn: true, assuming: assumptions)
    plan.add(
      "\(App.Bsky.Graph.GetList.nsid)", calls: planning.listMuteCalls,
      payload: 1_500 * planning.listMuteCalls,
      inTurn: true)
  }

  // MARK: Commits

  /// Number of writes of each step, in order.
  private var writes: [Int] {
    changes.flatMap { change in
      let count = change.mostWrites(counts).count
      let rest = count % RecordWrite.mostPerCommit
      return Array(repeating: RecordWrite.mostPerCommit, count: count / RecordWrite.mostPerCommit)
        + (rest > 0 ? [rest] : [])
    }
  }

  private func commits(_ wait: Duration) -> Int {
    var commits = 0
    for load in writes.parts(of: JobMachine.itemsPerLoad) {
      var room = 0
      for writes in load {
        if writes > room {
          commits += 1
          room = writesPerCommit
        }
        room = max(0, room - writes)
      }
    }
    // When the budget is short, a commit is split, but not below a quarter of its points.
    return wait > .zero ? min(4 * commits, max(commits, writes.count)) : commits
  }
}

/// The kind of a write, which determines its cost.
private enum WriteKind {
  case create, update, delete

  var points: Int {
    switch self {
    case .create: 3
    case .update: 2
    case .delete: 1
    }
  }
}

extension ChangeIntent {
  /// The most entries of a list that are counted individually; ten times the longest lists.
  private static let mostItems = 1_000_000

  /// The writes needed at most if no edge has more than one record; empty if a call is made instead.
  fileprivate func mostWrites(_ counts: ChangeCost.Counts) -> [WriteKind] {
    switch self {
    case .follow, .blockList, .make: [.create]
    case .unfollow, .unblock, .unblockList, .remove, .deduplicate: [.delete]
    case .block: [.create, .delete]
    case .mute, .unmute, .muteList, .unmuteList: []
    case .list(.create), .list(.add): [.create]
    case .list(.edit): [.update]
    case .list(.remove): [.delete]
    // The entries, the block, and the list itself.
    case .list(.delete(let list)), .list(.clear(let list)):
      Array(
        repeating: .delete,
        count: min((counts.deletedItems[list] ?? counts.listItems ?? 0).asCount, Self.mostItems) + 2)
    }
  }

  /// The call that is made instead of a write.
  fileprivate var method: NSID? {
    switch self {
    case .mute: App.Bsky.Graph.MuteActor.nsid
    case .unmute: App.Bsky.Graph.UnmuteActor.nsid
    case .muteList: App.Bsky.Graph.MuteActorList.nsid
    case .unmuteList: App.Bsky.Graph.UnmuteActorList.nsid
    default: nil
    }
  }
}
