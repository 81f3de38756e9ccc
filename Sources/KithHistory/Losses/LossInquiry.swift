// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// Finds out what happened to the accounts that are missing from a listing, and which losses are believed.
///
/// A loss that is proven by itself, such as a deletion or a block, is believed whatever the others are. Of the others, an
/// account whose repository was asked is decided by its answer; the answers together decide about the rest. Without
/// answers, a loss is believed once two full snapshots one after the other report it.
struct LossInquiry {
  /// Accounts checked per batch: eight calls for relationships, and ten for profiles.
  static let batchSize = 240

  let listing: HistoryListing
  let doubt: LossDoubt
  /// The accounts that are missing.
  let missing: [HistoryEdge]
  /// Those that are lost, by what the first servers say.
  private var losses: [HistoryLoss] = []
  /// Those that were not asked about, because the server may have lost its data.
  private var unasked: [HistoryEdge] = []
  private(set) var poll = RepositoryPoll()

  init(_ missing: [HistoryEdge], of listing: HistoryListing, _ doubt: LossDoubt) {
    (self.missing, self.listing, self.doubt) = (missing, listing, doubt)
  }

  /// Asks about all missing accounts.
  ///
  /// If the server may have lost its data, only one batch is asked about, and some repositories,
  /// unless most of the batch is lost for causes that are proven by themselves, or the repositories say the same.
  /// - Parameters:
  ///   - turn: which batch comes first, so that each account gets its turn.
  ///   - single: how many accounts and records may be asked about one by one.
  mutating func ask(
    _ judge: LossClassifier, beginningAt turn: Int64, malformed: Set<RecordKey>, _ single: inout Int,
    _ random: @escaping @Sendable () -> Double
  ) async throws {
    let batches = missing.parts(of: Self.batchSize).map(Array.init)
    guard !batches.isEmpty else { return }
    let first = Int(turn % Int64(batches.count))
    let ordered = batches[first...] + batches[..<first]
    for (index, batch) in ordered.enumerated() {
      let found = try await judge.losses(among: batch, of: listing, malformed, &single)
      losses += found
      guard index == 0, doubt.mayBeOutage(missing: missing.count),
        2 * found.count(where: { !doubt.mayBeDoubted($0) }) < batch.count
      else { continue }
      let rest = ordered.dropFirst().flatMap(\.self)
      try await askRepositories(of: doubted(losses) + rest, judge, &single, random)
      if isOutage {
        unasked = rest
        return
      }
    }
    if poll.asked == 0 { try await askRepositories(of: doubted(losses), judge, &single, random) }
  }

  /// Whether nothing more is to be learned from the server that lost its data.
  private var isOutage: Bool {
    switch poll.verdict {
    case .appViewIsWrong: true
    case .appViewIsRight: false
    case .unknown: !doubt.isRepeated(Set(missing.map(\.account)))
    }
  }

  private func doubted(_ losses: [HistoryLoss]) -> [HistoryEdge] {
    let count = losses.count(where: doubt.mayBeDoubted)
    let accounts = Set(losses.lazy.filter { doubt.applies(to: $0, of: count) }.map(\.account))
    return missing.filter { accounts.contains($0.account) }
  }

  private mutating func askRepositories(
    of edges: [HistoryEdge], _ judge: LossClassifier, _ single: inout Int,
    _ random: @escaping @Sendable () -> Double
  ) async throws {
    guard doubt.proof == .othersRepositories, listing.graph == .bluesky else { return }
    let chosen = RepositoryPoll.chosen(of: edges, most: single, random)
    single -= chosen.count
    for (edge, answer) in zip(chosen, try await judge.repositories(of: chosen, about: listing)) {
      poll.add(answer, of: edge.account)
    }
  }

  /// What is concluded in the end.
  struct Conclusion {
    /// The losses that are believed.
    var losses: [HistoryLoss] = []
    /// Accounts that are still there, as their repositories say.
    var kept: [HistoryEdge] = []
    /// Accounts whose losses wait for the next full snapshot.
    var waiting: [DID] = []
  }

  var conclusion: Conclusion {
    var conclusion = Conclusion()
    let count = losses.count(where: doubt.mayBeDoubted) + unasked.count
    for loss in losses {
      guard doubt.applies(to: loss, of: count) else {
        conclusion.losses.append(loss)
        continue
      }
      decide(loss, isBelieved: isBelieved(loss.account), &conclusion)
    }
    // A repository proves the loss, even if nothing else is known about the account.
    for edge in unasked {
      decide(HistoryLoss(edge.account, .unfollowed, Evidence()), isBelieved: false, &conclusion)
    }
    return conclusion
  }

  private func decide(_ loss: HistoryLoss, isBelieved: Bool, _ conclusion: inout Conclusion) {
    switch poll.answers[loss.account] {
    case .follows(let key)?: conclusion.kept.append(HistoryEdge(loss.account, rkey: key))
    case .noFollow?:
      let evidence = Evidence(loss.evidence.findings + [.noRecord])
      conclusion.losses.append(HistoryLoss(loss.account, loss.cause, evidence))
    case nil where isBelieved: conclusion.losses.append(loss)
    case nil: conclusion.waiting.append(loss.account)
    }
  }

  /// Whether the loss of an account that no repository decided is believed.
  private func isBelieved(_ account: DID) -> Bool {
    switch poll.verdict {
    case .appViewIsWrong: false
    case .appViewIsRight: true
    case .unknown: doubt.withheld.contains(account)
    }
  }
}
