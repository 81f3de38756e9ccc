// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
public import ATProtoCore
internal import ATProtoLexicons

/// What answering a question will cost, worked out before anything is asked.
public struct CheckPlan: Sendable, Hashable {
  /// One kind of call.
  public struct Step: Sendable, Hashable {
    /// The method.
    public let method: NSID
    /// How many calls; nil where that depends on what a listing holds.
    public let calls: Int?
  }

  /// The calls, in the order in which they begin.
  public let steps: [Step]
  /// Different targets; nil where a listing brings them.
  public let targets: Int?
  /// Calls in all, when every account is found; each one that is missing costs one more. Nil where a listing
  /// decides.
  public let calls: Int?
  /// Bytes in both directions, before compression; nil where a listing decides.
  public let bytes: Int?
  /// How long it will take; nil where a listing decides.
  public let time: Duration?

  /// What is known of a question before it is asked.
  public struct Question: Sendable, Hashable {
    /// Different targets that were named by DID.
    public var dids = 0
    /// Different targets that were named by handle.
    public var handles = 0
    /// Whether the actor was named by handle.
    public var actorIsHandle = false
    /// How many of ``handles`` are resolved together with the actor's own.
    public var companions = 0
    /// Listings that bring further targets.
    public var listings: [ActorListing.Kind] = []
    /// Whether existence is verified.
    public var verifiesExistence = false

    /// A question without targets.
    public init() {}
  }

  /// What the costs are reckoned with: orders of magnitude, for the true ones are told afterwards.
  private enum Estimate {
    /// One call to a public AppView and back.
    static let roundTrip = Duration.milliseconds(100)
    /// Head of a request and of its answer over HTTP/2.
    static let bytesPerCall = 400
    /// A DID in the query and its row in the answer, with one edge in two.
    static let bytesPerTarget = 190
    /// A profile in the answer of `getProfiles`.
    static let bytesPerProfile = 900
  }

  /// Works the plan out.
  ///
  /// - Parameter concurrency: calls under way at once.
  public init(_ question: Question, concurrency: Int = 8) {
    typealias Graph = App.Bsky.Graph
    let profiles = App.Bsky.Actor.GetProfiles.nsid
    func batches(_ count: Int, of size: Int) -> Int { (count + size - 1) / size }
    let named = question.dids + question.handles
    let isOpen = !question.listings.isEmpty
    var steps: [Step] = []
    if question.actorIsHandle { steps.append(Step(method: profiles, calls: 1)) }
    steps += question.listings.map { Step(method: $0.method, calls: nil) }
    let handleCalls = batches(question.handles - question.companions, of: HandleResolver.batchSize)
    if handleCalls > 0 { steps.append(Step(method: profiles, calls: handleCalls)) }
    if isOpen || named > 0 {
      steps.append(
        Step(
          method: Graph.GetRelationships.nsid,
          calls: isOpen ? nil : batches(named, of: AppViewRelationshipSource.targetsPerCall)))
    }
    let verified = question.verifiesExistence && named > 0 ? named + 1 : 0
    if question.verifiesExistence, isOpen || named > 0 {
      steps.append(
        Step(method: profiles, calls: isOpen ? nil : batches(verified, of: HandleResolver.batchSize)))
    }
    self.steps = steps
    guard !isOpen else {
      (targets, calls, bytes, time) = (nil, nil, nil, nil)
      return
    }
    let calls = steps.reduce(0) { $0 + ($1.calls ?? 0) }
    targets = named
    self.calls = calls
    bytes =
      calls * Estimate.bytesPerCall + named * Estimate.bytesPerTarget
      + (question.handles + verified + (question.actorIsHandle ? 1 : 0)) * Estimate.bytesPerProfile
    // Steps wait for each other; the calls of one step go side by side.
    let rounds = steps.reduce(0) { $0 + batches($1.calls ?? 0, of: max(1, concurrency)) }
    time = Estimate.roundTrip * rounds
  }
}
