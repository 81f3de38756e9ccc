// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore
package import KithRelationships

/// What the jobs of a journal did a short time ago to follows and blocks, for answers of an AppView that may not
/// show it yet (Q21).
///
/// The journal stores when a job ended, not when each change was made: all changes of a job count that is
/// unfinished or ended a short time ago.
package struct JournaledChanges: RecentChanges {
  /// As long as busy AppViews have lagged.
  package static let lifetime = Duration.seconds(600)

  private let journal: any JobStore
  private let time: TimeSource

  /// Creates the changes of a journal.
  package init(_ journal: any JobStore, time: TimeSource) {
    self.journal = journal
    self.time = time
  }

  package func accounts() async throws -> Set<DID> { Set(try await jobs().map(\.account)) }

  package func edges(of account: DID, about others: [DID]) async throws -> [DID: RecentEdges] {
    let jobs = Set(try await jobs().filter { $0.account == account }.map(\.id))
    if jobs.isEmpty { return [:] }
    let history = try await journal.history(of: others.map { .account($0) }, by: account)
    var edges: [DID: RecentEdges] = [:]
    for (subject, entries) in history {
      guard case .account(let other) = subject else { continue }
      let recent = RecentEdges(entries.filter { jobs.contains($0.job) })
      if recent != RecentEdges() { edges[other] = recent }
    }
    return edges
  }

  /// The most subjects of recent changes that are looked up.
  private static let mostSubjects = 1_000

  /// What an account did to its edges, of the accounts about which others have done something since a revision.
  ///
  /// - Parameter own: revisions that do not count.
  func edges(
    of account: DID, since revision: Int64, except own: Set<Int64>
  ) async throws -> [DID: RecentEdges] {
    let jobs = try await jobs().filter { $0.account == account }
    var subjects: Set<ChangeStep.Subject> = []
    for job in jobs.reversed() {
      let room = Self.mostSubjects - subjects.count
      let items = try await journal.items(of: job.id, in: [.done], after: nil, most: room)
      subjects.formUnion(items.map(\.step.subject))
    }
    let recent = Set(jobs.map(\.id))
    var edges: [DID: RecentEdges] = [:]
    for (subject, history) in try await journal.history(of: Array(subjects), by: account) {
      let entries = history.filter { recent.contains($0.job) }
      guard case .account(let other) = subject,
        entries.contains(where: { $0.revision > revision && !own.contains($0.revision) })
      else { continue }
      edges[other] = RecentEdges(entries)
    }
    return edges
  }

  /// The most changes that answers can contradict.
  package func count() async throws -> Int {
    var count = 0
    for job in try await jobs() {
      let counts = try await journal.summary(of: job.id).counts
      count += counts[.done] + counts[.inDoubt]
    }
    return count
  }

  private func jobs() async throws -> [Job] {
    let now = time.instant
    return try await journal.jobs(endedAfter: now - Self.lifetime)
  }
}

extension RecentEdges {
  /// Creates the changes that entries about one account made: those in doubt last, as they may still happen.
  init(_ entries: [JobHistoryEntry]) {
    self.init()
    let done = entries.filter { $0.state == .done }.sorted { $0.revision < $1.revision }
    for entry in done + entries.filter({ $0.state == .inDoubt }) {
      for write in entry.step.writes {
        switch write.collection {
        case .follow: follow = write.added(to: follow, isInDoubt: entry.state == .inDoubt)
        case .block: block = write.added(to: block, isInDoubt: entry.state == .inDoubt)
        default: continue
        }
      }
    }
  }
}

extension RecordWrite {
  fileprivate func added(to change: RecentEdges.Change?, isInDoubt: Bool) -> RecentEdges.Change {
    var change = change ?? RecentEdges.Change()
    if makesRecord {
      change.make(rkey, isInDoubt: isInDoubt)
    } else {
      change.delete(rkey, isInDoubt: isInDoubt)
    }
    return change
  }
}
