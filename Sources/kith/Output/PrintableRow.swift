// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

/// A row of output, for people and for programs.
protocol PrintableRow: OperationRow {
  /// The headings of ``tableRow(at:)``; none if rows are paragraphs (``ParagraphLayout``).
  static var headings: [String] { get }

  /// What the first column gets while later rows may be wider.
  static var leastFirst: Int { get }

  /// What the columns get at least where each row is shown as soon as it is known.
  static var leastLive: [Int] { get }

  /// The row of a table, for people.
  ///
  /// - Parameter now: the time, for words such as `5 min ago`.
  func tableRow(at now: Datetime) -> TableRow

  /// The accounts that the row names only by their DIDs.
  var unnamed: [DID] { get }

  /// The row with names for them; only tables show these, because what programs read must not depend on a cache.
  func named(by known: [DID: AccountView]) -> Self
}

extension PrintableRow {
  /// The length of a `did:plc`.
  static var leastFirst: Int { 32 }
  static var leastLive: [Int] { [leastFirst] + headings.dropFirst().map { _ in 11 } }
  var unnamed: [DID] { [] }
  func named(by known: [DID: AccountView]) -> Self { self }
}
