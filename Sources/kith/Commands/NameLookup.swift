// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Relationships

/// Rows that wait for the names of their targets: gathered until several calls are full, which then go side by side.
struct NameLookup {
  private let views: AccountViews
  private let concurrency: Int
  private let say: (Message) -> Void
  private var waiting: [RelationshipRow] = []
  private var unnamed: Set<DID> = []
  private var hasFailed = false

  /// - Parameters:
  ///   - concurrency: the most calls under way at once.
  ///   - say: is told once where names cannot be looked up; rows come without them from then on.
  init(_ views: AccountViews, concurrency: Int, say: @escaping (Message) -> Void) {
    self.views = views
    self.concurrency = concurrency
    self.say = say
  }

  /// Whether so many names are wanted that they should be looked up.
  var isFull: Bool { unnamed.count >= AccountViews.batchSize * concurrency || waiting.count >= 1_000 }

  mutating func append(_ row: RelationshipRow) {
    waiting.append(row)
    let answer = row.answer
    // A listing brings all the names there are; who resolves a handle may not tell the other name.
    if let target = answer.target,
      answer.view == nil || answer.input != nil && answer.view?.displayName == nil
    {
      unnamed.insert(target)
    }
  }

  /// The rows that wait, in their order, with as many names as could be learned.
  mutating func take() async -> [RelationshipRow] {
    defer { (waiting, unnamed) = ([], []) }
    // Whoever is cancelled gets the rows without names; the run itself tells of the end.
    let found = hasFailed ? nil : try? await views.outcomes(of: Array(unnamed), concurrency: concurrency)
    for case .failure(let error) in (found ?? [:]).values where !hasFailed {
      say(.handlesNotLearned(error))
      hasFailed = true
    }
    return waiting.map { row in
      let view = row.answer.target.flatMap { found?[$0] }.flatMap { try? $0.get() }
      return RelationshipRow(actor: row.actor, answer: row.answer.named(by: view))
    }
  }
}
