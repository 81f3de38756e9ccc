// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

/// Collects rows until several calls for the names of their targets are full, then makes the calls in
/// parallel.
struct NameLookup {
  private let views: AccountViews
  private let concurrency: Int
  private let say: (Message) -> Void
  private var waiting: [RelationshipRow] = []
  private var unnamed: Set<DID> = []
  private var hasFailed = false

  /// - Parameters:
  ///   - concurrency: the maximum number of parallel calls.
  ///   - say: receives one message if names cannot be looked up; later rows come without names.
  init(_ views: AccountViews, concurrency: Int, say: @escaping (Message) -> Void) {
    self.views = views
    self.concurrency = concurrency
    self.say = say
  }

  /// Whether enough names are needed for a lookup.
  var isFull: Bool { unnamed.count >= AccountViews.batchSize * concurrency || waiting.count >= 1_000 }

  mutating func append(_ row: RelationshipRow) {
    waiting.append(row)
    let answer = row.answer
    // Listings contain all names; resolving a handle may not return the display name.
    if let target = answer.target,
      answer.view == nil || answer.input != nil && answer.view?.displayName == nil
    {
      unnamed.insert(target)
    }
  }

  /// The collected rows in order, with the names that were found.
  mutating func take() async -> [RelationshipRow] {
    defer { (waiting, unnamed) = ([], []) }
    // After cancellation, rows come without names; the run itself reports the interruption.
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
