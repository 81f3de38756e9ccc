// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// What views follow: one relationship, or all changes among some.
extension FollowRelationshipService {
  /// The relationship of two accounts from now on, as `actor` sees it: at once as it is remembered, then as it is
  /// requested, and after each answer and each change of one's own.
  ///
  /// ```swift
  /// for await relationship in service.observe(actor: me, target: bob) { show(relationship.info as Any, relationship.state) }
  /// ```
  ///
  /// All subscriptions of a pair share one request, and pairs share calls as in other queries: 500 rows need at most
  /// 17. A fresh answer of the cache needs none. What a `RelationshipWriter` of this service does is always told, also
  /// with the cache off. What others do arrives at once by a `LiveSource` of `KithHistory`, and without one when anything asks
  /// again: another query of the pair, ``refresh(actor:target:)``, ``markStale()``, or a new subscription after the lifetime
  /// of the cache.
  ///
  /// The sequence keeps the service alive, and ends when its task is cancelled.
  public nonisolated func observe(actor: DID, target: DID) -> RelationshipObservation {
    let question = ObservationHub.Question(
      actor: actor, target: target, isVerified: verifies(actor, target)
    ) {
      let info = try await self.loader.finding(of: actor, with: target, .fresh).info(of: target)
      return self.verifies(actor, target)
        ? try await self.getRelationship(actor: actor, target: target) : info
    }
    return RelationshipObservation { self.loader.observe(question) }
  }

  /// What is known about two accounts now, however old, without a call: for the first frame of a view.
  ///
  /// - Returns: nil if nothing is known, such as after ``clearCache()`` or ``invalidate(actor:target:)``.
  public nonisolated func remembered(actor: DID, target: DID) -> RelationshipInfo? {
    actor == target ? ownRelationship(of: actor) : loader.known(of: actor, target)
  }

  /// The part of ``changes`` that is about an account and some others, as the account sees it; each call
  /// creates a new subscription.
  ///
  /// ```swift
  /// for await change in service.changes(among: Set(accounts), of: me) { show(change) }
  /// ```
  ///
  /// ``RelationshipChange/missed(_:)`` counts only such changes.
  public nonisolated func changes(among others: Set<DID>, of actor: DID) -> RelationshipChanges {
    broadcaster.subscribe { $0.seen(by: actor, among: others) }
  }

  /// Marks all that is known as possibly out of date, such as when an app comes to the foreground: the next queries
  /// request it again, and observed relationships are requested at once.
  ///
  /// Until an answer arrives, observers are shown what was known, as ``ObservedRelationship/State/lastKnown``.
  public nonisolated func markStale() { loader.markStale() }

  /// Takes what a stream told of the edges of some accounts, in its order.
  ///
  /// What is cached and observed changes, and the counts of profiles, in all services that share the ``overlay``. What is
  /// not cached is not cached then; what was asked later than an event is not changed by it.
  /// - Parameter watched: the accounts of which the stream tells all follows and blocks that they made, or that are about them.
  package nonisolated func observe(_ edges: [ObservedEdge], among watched: Set<DID>) {
    overlay.observe(edges, among: watched)
  }

  /// A stream missed what happened to some accounts: what is known is as after ``markStale()``, and the profiles of these
  /// accounts are requested again.
  package nonisolated func miss(_ watched: Set<DID>) {
    overlay.recount(watched)
    overlay.miss()
  }

  /// Requests the profiles of some accounts again: what streams told is not all that happened since they were requested.
  package nonisolated func recount(_ accounts: Set<DID>) { overlay.recount(accounts) }
}
