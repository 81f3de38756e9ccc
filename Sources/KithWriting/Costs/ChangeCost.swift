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
  private let counted: [CountedChanges]
  private let counts: Counts
  private let planning: FactCost
  private let writesPerCommit: Int
  private let assumptions: CostPlan.Assumptions

  /// Adds up what changes of an account cost.
  ///
  /// - Parameters:
  ///   - changes: each once.
  ///   - counted: those about accounts that are not known yet.
  ///   - areMost: whether only some of the changes may be left, such as after a filter.
  ///   - writesPerCommit: the most writes in one commit.
  ///   - assumptions: what the changes themselves depend on.
  package init(
    of changes: [ChangeIntent], and counted: [CountedChanges] = [], atMost areMost: Bool = false,
    by account: DID, counts: Counts, writesPerCommit: Int = RecordWrite.mostPerCommit,
    assuming assumptions: CostPlan.Assumptions = []
  ) {
    self.changes = changes
    self.counted = counted
    self.counts = counts
    planning = FactCost(of: changes, and: counted, by: account, atMost: areMost)
    self.writesPerCommit = max(1, writesPerCommit)
    self.assumptions = assumptions
  }

  /// Points of the write budget. An edge with several records costs one more point for each additional record
  /// that is deleted (Q16).
  package var points: Int {
    all.reduce(0) { $0 + $1.count * $1.example.mostWrites(counts).reduce(0) { $0 + $1.points } }
  }

  /// All changes, in order, those that are known one by one.
  private var all: [CountedChanges] { changes.map { CountedChanges(like: $0, count: 1) } + counted }

  /// The kinds of the changes; nil if one of them may be of several.
  package var kinds: Set<ChangeKind>? {
    let kinds = Set(all.map(\.example.kind))
    return kinds.contains(nil) ? nil : Set(kinds.compactMap(\.self))
  }

  /// How many changes there are.
  package var count: Int { all.reduce(0) { $0 + $1.count } }

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
      payload: 250 * all.reduce(0) { $0 + $1.count * writes(of: $1.example).reduce(0, +) }, points: points,
      inTurn: true, assuming: facts)
    var calls: [String: Int] = [:]
    for change in all {
      if let method = change.example.method { calls["\(method)", default: 0] += change.count }
    }
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
      CostPlan.profiles, calls: planning.muteCalls, payload: count * CostPlan.bytesPerProfile,
      inTurn: true, assuming: assumptions)
    plan.add(
      "\(App.Bsky.Graph.GetList.nsid)", calls: planning.listMuteCalls,
      payload: 1_500 * planning.listMuteCalls,
      inTurn: true)
  }

  // MARK: Commits

  /// Number of writes of each step, in order. There may be very many.
  private var writes: some Sequence<Int> {
    all.lazy.flatMap { change in repeatElement(writes(of: change.example), count: change.count).lazy.joined()
    }
  }

  /// Number of writes of each step of a change.
  private func writes(of change: ChangeIntent) -> [Int] {
    let count = change.mostWrites(counts).count
    let remainder = count % RecordWrite.mostPerCommit
    return Array(repeating: RecordWrite.mostPerCommit, count: count / RecordWrite.mostPerCommit)
      + (remainder > 0 ? [remainder] : [])
  }

  private func commits(_ wait: Duration) -> Int {
    var (commits, steps, room) = (0, 0, 0)
    for writes in writes {
      if steps % JobMachine.itemsPerLoad == 0 { room = 0 }
      steps += 1
      if writes > room {
        commits += 1
        room = writesPerCommit
      }
      room = max(0, room - writes)
    }
    // When the budget is short, a commit is split, but not below a quarter of its points.
    return wait > .zero ? min(4 * commits, max(commits, steps)) : commits
  }
}

/// Changes about accounts that are not known yet, or that only their number is known of.
package struct CountedChanges: Sendable, Hashable {
  /// One of them, as if it were about the account that makes it: only its kind counts.
  package let example: ChangeIntent
  package let count: Int

  package init(like example: ChangeIntent, count: Int) { (self.example, self.count) = (example, count) }
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
    case .edge(_, .remove), .edge(_, .deduplicate): [.delete]
    case .edge(let edge, .make), .edge(let edge, .makeAlthoughFollowed):
      edge.kind.ended == nil ? [.create] : [.create, .delete]
    case .call: []
    case .list(.create): [.create]
    case .list(.edit): [.update]
    // An answer is only deleted if there is one.
    case .friends(.decline): []
    case .friends(.cancel), .friends(.takeBack), .friends(.policy(_, nil)): [.delete]
    case .friends(.remove): [.delete, .delete]
    case .friends(.request), .friends(.accept), .friends(.policy): [.create]
    case .records(.make(let drafts)): drafts.map { _ in .create }
    case .records(.put): [.create]
    case .records(.delete): [.delete]
    case .posts(.delete): [.delete, .delete, .delete]
    case .posts(.react): [.create]
    case .profile: [.create]
    case .posts(.takeBack): [.delete]
    // The entries, the block, and the list itself.
    case .list(.delete(let list)), .list(.clear(let list)):
      Array(
        repeating: .delete,
        count: min((counts.deletedItems[list] ?? counts.listItems ?? 0).asCount, Self.mostItems) + 2)
    }
  }

  /// The kind of change that it is planned as; nil if that depends on what is there.
  fileprivate var kind: ChangeKind? {
    switch self {
    case .edge(let edge, let wanted): wanted.makesRecord ? .create(edge.collection) : .delete(edge.collection)
    case .posts(.react(let reaction, _, _)): .create(reaction.collection)
    case .posts(.takeBack(let reaction, _, _)): .delete(reaction.collection)
    default: nil
    }
  }

  /// The call that is made instead of a write.
  fileprivate var method: NSID? {
    switch self {
    case .call(.mute): App.Bsky.Graph.MuteActor.nsid
    case .call(.unmute): App.Bsky.Graph.UnmuteActor.nsid
    case .call(.muteList): App.Bsky.Graph.MuteActorList.nsid
    case .call(.unmuteList): App.Bsky.Graph.UnmuteActorList.nsid
    default: nil
    }
  }
}
