// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithRelationships

/// What a server is asked because events do not tell: whether an account is on a listing, or is still blocked.
struct StreamQuestion: Hashable, Sendable {
  enum Subject: Hashable, Sendable {
    /// Whether the account's record is there.
    case edge
    /// Whether the account, which deleted a block, still blocks the actor.
    case block
  }

  let account: DID
  let listing: HistoryListing
  let subject: Subject

  /// What is known of an open question.
  struct State: Sendable, Equatable {
    /// The place of the event that raised it; it is read again if the process ends before the answer.
    let since: StreamCursor
    /// When it was raised last.
    var raisedAt: Instant
    /// Records that were deleted. A server that still shows one is behind.
    var deleted: Set<RecordKey> = []
    /// The record that was made last since. A server that does not show it is behind.
    var made: RecordKey?
    /// Answers that decided nothing.
    var tries = 0

    init(since: StreamCursor) { (self.since, raisedAt) = (since, since.at) }
  }

  /// What servers answered.
  struct Answers: Sendable {
    var events: [HistoryEvent] = []
    /// Keys of records.
    var edges: [HistoryEdge] = []
    /// What needs not be asked again.
    var settled: Set<StreamQuestion> = []
    /// What was answered, but not decided.
    var undecided: Set<StreamQuestion> = []

    /// Leaves out what is about accounts of which events have told something since they were asked about.
    mutating func leaveOut(_ accounts: Set<DID>) {
      guard !accounts.isEmpty else { return }
      events.removeAll { $0.account.map(accounts.contains) == true }
      edges.removeAll { accounts.contains($0.account) }
      settled = settled.filter { !accounts.contains($0.account) }
      undecided = undecided.filter { !accounts.contains($0.account) }
    }
  }
}

extension HistoryEvent {
  /// The account that an answer is about.
  fileprivate var account: DID? {
    switch kind {
    case .made(let account, _, _), .blocked(let account, _, _), .unblocked(let account, _, _): account
    case .lost(let loss, _): loss.account
    default: nil
    }
  }
}

extension LossClassifier {
  /// Accounts of which one round of questions asks one by one.
  private static let mostSingle = 100
  /// After this many answers, a server is not taken to be behind any more.
  private static let patience = 4

  /// Asks about accounts of one listing of followers.
  ///
  /// - Parameter moment: the time of the stream, which comes before everything that it tells later.
  /// - Throws: `CancellationError`. Questions whose lookup fails are left out.
  func answers(
    to questions: [StreamQuestion: StreamQuestion.State], about listing: HistoryListing, at moment: Instant
  ) async throws -> StreamQuestion.Answers {
    do {
      return listing.graph == .bluesky
        ? try await askAppView(questions, listing, moment)
        : try await askRepositories(questions, listing, moment)
    } catch {
      guard RelationshipError.wrapping(error) != nil else { throw error }
      return StreamQuestion.Answers()
    }
  }

  private func askAppView(
    _ questions: [StreamQuestion: StreamQuestion.State], _ listing: HistoryListing, _ moment: Instant
  ) async throws -> StreamQuestion.Answers {
    var found = StreamQuestion.Answers()
    var missing: [DID: StreamQuestion] = [:]
    let (infos, unknown) = try await known(of: listing.actor, with: Set(questions.keys.map(\.account)))
    for (question, state) in questions {
      guard let info = infos[question.account] else {
        // The AppView may not know the account yet, or not any more.
        if unknown.contains(question.account) { found.undecided.insert(question) }
        continue
      }
      let key = info.followedBy?.recordKey
      switch question.subject {
      case .block:
        guard info.blockedBy?.recordKey.map(state.deleted.contains) != true else {
          found.undecided.insert(question)
          continue
        }
        found.settled.insert(question)
        guard info.blockedBy == nil, info.blockedByList == nil else { continue }
        found.events.append(
          HistoryEvent(.unblocked(question.account, .blockedBy, from: listing), at: moment))
      case .edge:
        found.undecided.insert(question)
        guard let key else {
          if state.made == nil { missing[question.account] = question }
          continue
        }
        // What an account did before it made a record, such as ending a block, is known where that record is. Of two records,
        // a server shows one.
        guard !state.deleted.contains(key),
          state.made == nil || state.made == key || state.tries >= Self.patience
        else { continue }
        found.settle(question, key, at: moment)
        for cause in info.hidingBlocks {
          found.events.append(HistoryEvent(.blocked(question.account, cause, from: listing), at: moment))
        }
      }
    }
    var single = Self.mostSingle
    let edges = missing.keys.map { HistoryEdge($0) }
    for loss in try await losses(among: edges, of: listing, [], &single) {
      guard let question = missing[loss.account] else { continue }
      found.settle(question, loss, at: moment)
    }
    return found
  }

  private func askRepositories(
    _ questions: [StreamQuestion: StreamQuestion.State], _ listing: HistoryListing, _ moment: Instant
  ) async throws -> StreamQuestion.Answers {
    var found = StreamQuestion.Answers()
    let asked = questions.keys.prefix(Self.mostSingle)
    let answers = try await repositories(of: asked.map { HistoryEdge($0.account) }, about: listing)
    for (question, answer) in zip(asked, answers) {
      switch answer {
      case .follows(let key?): found.settle(question, key, at: moment)
      case .noFollow:
        let loss = HistoryLoss(question.account, .unfollowed, Evidence([.noRecord]))
        found.settle(question, loss, at: moment)
      case .follows(nil), nil: found.undecided.insert(question)
      }
    }
    return found
  }
}

extension RelationshipInfo {
  /// The blocks that hide the target from the actor's followers.
  fileprivate var hidingBlocks: [LossCause] {
    var causes: [LossCause] = []
    if blockedBy != nil || blockedByList != nil { causes.append(.blockedBy) }
    if blocking != nil || blockingByList != nil { causes.append(.blocking) }
    return causes
  }
}

extension StreamQuestion.Answers {
  fileprivate mutating func settle(_ question: StreamQuestion, _ key: RecordKey, at moment: Instant) {
    edges.append(HistoryEdge(question.account, rkey: key))
    settle(question, .made(question.account, key, on: question.listing), at: moment)
  }

  fileprivate mutating func settle(_ question: StreamQuestion, _ loss: HistoryLoss, at moment: Instant) {
    settle(question, .lost(loss, from: question.listing), at: moment)
  }

  private mutating func settle(_ question: StreamQuestion, _ kind: HistoryEvent.Kind, at moment: Instant) {
    undecided.remove(question)
    settled.insert(question)
    events.append(HistoryEvent(kind, at: moment))
  }
}
