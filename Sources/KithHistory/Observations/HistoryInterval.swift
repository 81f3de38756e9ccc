// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// An account on a listing, with the key of its record if known.
public struct HistoryEdge: Sendable, Hashable {
  public let account: DID
  /// For followers, only known if it was requested.
  public let rkey: RecordKey?

  /// Creates an edge.
  public init(_ account: DID, rkey: RecordKey? = nil) {
    self.account = account
    self.rkey = rkey
  }
}

/// A loss of an account from a listing, with cause and evidence.
public struct HistoryLoss: Sendable, Hashable {
  public let account: DID
  public let cause: LossCause
  public let evidence: Evidence

  /// Creates a loss.
  public init(_ account: DID, _ cause: LossCause, _ evidence: Evidence) {
    self.account = account
    self.cause = cause
    self.evidence = evidence
  }
}

/// The time an account was on a listing: from the observation that first saw it to the one that lost it.
public struct HistoryInterval: Sendable, Hashable {
  public let edge: HistoryEdge
  /// The observation that first saw it.
  public let first: Observation
  /// The observation that lost it; nil if it is still on the listing.
  public var lostIn: Observation?
  /// The loss; nil if it is still on the listing.
  public var loss: HistoryLoss?
  /// Whether it was on the listing earlier, and lost.
  public let isReturn: Bool

  public init(
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
  public func holds(at observation: ObservationID) -> Bool {
    first.id <= observation && (lostIn.map { observation < $0.id } ?? true)
  }
}
