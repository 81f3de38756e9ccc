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
    var found: [DID: AccountView] = [:]
    if !hasFailed {
      do {
        let batches = Array(unnamed).parts(of: AccountViews.batchSize)
        for views in try await batches.concurrentMap(atMost: concurrency, views.views) {
          found.merge(views) { first, _ in first }
        }
      } catch {
        // Who is cancelled learns of it by the next answer.
        if let error = error as? RelationshipError { say(.handlesNotLearned(error)) }
        hasFailed = true
      }
    }
    return waiting.map { row in
      RelationshipRow(
        actor: row.actor, answer: row.answer.named(by: row.answer.target.flatMap { found[$0] }))
    }
  }
}
