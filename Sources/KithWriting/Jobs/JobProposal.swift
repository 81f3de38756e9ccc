// SPDX-License-Identifier: Apache-2.0

public import KithCore
package import KithRelationships

/// A plan that was shown and is carried out only if it is approved. Until then it holds nothing up: no points are set
/// aside, and other changes are planned as if it did not exist.
public struct JobProposal: Sendable, Hashable {
  /// What identifies the plan.
  public var digest: PlanDigest
  /// Until when it can be approved.
  public var expiresAt: Datetime
  /// The number of steps.
  public var steps: Int
  /// Points of the write budget that it costs.
  public var points: Int
  /// How long what it makes is to last, from its approval; nil if it is permanent.
  package var lifetime: Duration?

  /// How long a plan can be approved.
  package static let patience = Duration.days(1)

  /// Creates a proposal.
  package init(digest: PlanDigest, expiresAt: Datetime, steps: Int, points: Int, lifetime: Duration? = nil) {
    self.digest = digest
    self.expiresAt = expiresAt
    self.steps = steps
    self.points = points
    self.lifetime = lifetime
  }

  /// Whether it can no longer be approved. A clock that is set back a long way does not make it last longer.
  package func isExpired(at now: Instant) -> Bool {
    now >= expiresAt.instant || now < expiresAt.instant - Self.patience - Self.patience
  }
}

/// A request of a proposal, as it was shown, and what is needed to plan it again.
package struct ProposedRequest: Sendable, Hashable {
  /// What was typed or read from a file.
  package var input: String
  /// The intent, in its stored form.
  package var intent: DataValue
  /// Whether its account is known to exist.
  package var isResolved: Bool
  /// When it is to be undone; nil if that is decided for all requests.
  package var until: Datetime?
  /// What was left out of its plan, and what was added to it, in a stored form; nil for nothing.
  package var narrowing: DataValue?
  /// The steps that were shown; the keys of new records are chosen again when the proposal is approved.
  package var steps: [ChangeStep]
  /// Whether pending steps of other jobs are cancelled for it.
  package var changesJobs: Bool
  /// Why it is not part of the proposal; nil if it is, or if nothing has to be done.
  package var refusal: ChangeRefusal?

  /// Creates a request.
  package init(
    input: String, intent: DataValue, isResolved: Bool = false, until: Datetime? = nil,
    narrowing: DataValue? = nil, steps: [ChangeStep] = [], changesJobs: Bool = false,
    refusal: ChangeRefusal? = nil
  ) {
    self.input = input
    self.intent = intent
    self.isResolved = isResolved
    self.until = until
    self.narrowing = narrowing
    self.steps = steps
    self.changesJobs = changesJobs
    self.refusal = refusal
  }
}
