// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

/// An account on a listing, with the key of its record if known.
package struct HistoryEdge: Sendable, Hashable {
  package let account: DID
  /// For followers, only known if it was requested.
  package let rkey: RecordKey?

  /// Creates an edge.
  package init(_ account: DID, rkey: RecordKey? = nil) {
    self.account = account
    self.rkey = rkey
  }
}

/// A loss of an account from a listing, with cause and evidence.
package struct HistoryLoss: Sendable, Hashable {
  package let account: DID
  package let cause: LossCause
  package let evidence: Evidence

  /// Creates a loss.
  package init(_ account: DID, _ cause: LossCause, _ evidence: Evidence) {
    self.account = account
    self.cause = cause
    self.evidence = evidence
  }
}

/// The time an account was on a listing: from the observation that first saw it to the one that lost it.
package struct HistoryInterval: Sendable, Hashable {
  package let edge: HistoryEdge
  /// The observation that first saw it.
  package let first: Observation
  /// The observation that lost it; nil if it is still on the listing.
  package var lostIn: Observation?
  /// The loss; nil if it is still on the listing.
  package var loss: HistoryLoss?
  /// Whether it was on the listing earlier, and lost.
  package let isReturn: Bool

  package init(
    _ edge: HistoryEdge, first: Observation, lostIn: Observation? = nil, loss: HistoryLoss? = nil,
    isReturn: Bool = false
  ) {
    self.edge = edge
    self.first = first
    self.lostIn = lostIn
    self.loss = loss
    self.isReturn = isReturn
  }

  /// Whether the account was on the listing when something was observed.
  package func holds(at observation: ObservationID) -> Bool {
    first.id <= observation && (lostIn.map { observation < $0.id } ?? true)
  }
}

extension HistoryEvent {
  /// Whether it says something new about an account.
  ///
  /// - Parameter stays: the stays of the account on the listing, oldest first.
  package func changes(_ stays: [HistoryInterval]) -> Bool {
    let last = stays.last
    switch kind {
    case .gained:
      guard let last, let lostIn = last.lostIn else { return last == nil }
      // A stream that begins again repeats what it said before; a record that was restored has its old key.
      return edge.rkey == nil || edge.rkey != last.edge.rkey || lostIn.by < at
    case .lost:
      guard let last, last.lostIn == nil else { return false }
      if case .event = last.first.source, at < last.first.by { return false }
      return edge.rkey == nil || edge.rkey == last.edge.rkey
    }
  }
}
