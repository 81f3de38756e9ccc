// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

/// Collects rows until several calls for the names of their targets are full, then makes the calls in
/// parallel.
struct RowsAwaitingNames {
  private let names: AccountNames
  private let concurrency: Int
  private let note: @Sendable (Note) -> Void
  private var waiting: [RelationshipRow] = []
  private var unnamed: Set<DID> = []
  private var hasFailed = false

  /// - Parameter note: receives one note if names cannot be looked up; later rows come without names.
  init(_ workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void) {
    names = workspace.names()
    concurrency = workspace.concurrency
    self.note = note
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
  mutating func removeAll() async -> [RelationshipRow] {
    defer { (waiting, unnamed) = ([], []) }
    // After cancellation, rows come without names; the run itself reports the interruption.
    let asked = hasFailed ? nil : try? await names.asked(Array(unnamed), concurrency: concurrency)
    if let failure = asked?.failure {
      note(.namesNotLearned(failure))
      hasFailed = true
    }
    guard let found = asked?.found else { return waiting }
    return waiting.map { $0.named(by: found) }
  }
}
