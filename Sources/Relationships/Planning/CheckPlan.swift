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
    /// Bytes in both directions, before compression; nil where a listing decides.
    public let bytes: Int?
    /// How long it takes while no limit stands in its way; nil where a listing decides.
    public let time: Duration?
  }

  /// How many calls a server answers in a window of time.
  public struct Limit: Sendable, Hashable {
    /// Calls in one window.
    public var calls: Int
    /// The length of a window.
    public var window: Duration

    /// A limit of so many calls, at least one, in each window.
    public init(calls: Int, window: Duration) {
      self.calls = max(1, calls)
      self.window = window
    }
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
  /// How long it will take, waiting for the limit included; nil where a listing decides.
  public let time: Duration?

  /// What one call to a public AppView and back is reckoned with.
  public static let roundTrip = Duration.milliseconds(100)

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
    /// Head of a request and of its answer over HTTP/2.
    static let bytesPerCall = 400
    /// A DID in the query and its row in the answer, with one edge in two.
    static let bytesPerTarget = 190
    /// A profile in the answer of `getProfiles`.
    static let bytesPerProfile = 900
  }

  /// Works the plan out.
  ///
  /// Steps wait for each other, the calls of one step go side by side. Beyond a limit the next window is waited
  /// for: 3,334 calls against 3,000 in 5 minutes take those 5 minutes, and the time of the last 334.
  ///
  /// - Parameters:
  ///   - concurrency: calls under way at once.
  ///   - limit: what the server is known to allow, starting with a fresh window; nil where nothing is known.
  public init(_ question: Question, concurrency: Int = 8, limit: Limit? = nil) {
    let named = question.dids + question.handles
    let isOpen = !question.listings.isEmpty
    let lanes = max(1, concurrency)
    steps = Self.steps(question).map { draft in
      Step(
        method: draft.method, calls: draft.calls,
        bytes: draft.calls.map { $0 * Estimate.bytesPerCall + draft.payload },
        time: draft.calls.map { Self.roundTrip * Self.batches($0, of: lanes) })
    }
    guard !isOpen else {
      (targets, calls, bytes, time) = (nil, nil, nil, nil)
      return
    }
    let calls = steps.reduce(0) { $0 + ($1.calls ?? 0) }
    targets = named
    self.calls = calls
    bytes = steps.reduce(0) { $0 + ($1.bytes ?? 0) }
    let unhindered = steps.reduce(.zero) { $0 + ($1.time ?? .zero) }
    time = max(unhindered, limit.map { Self.time(of: calls, lanes: lanes, $0) } ?? .zero)
  }

  private static func time(of calls: Int, lanes: Int, _ limit: Limit) -> Duration {
    let windows = max(0, calls - 1) / limit.calls
    return limit.window * windows + roundTrip * batches(calls - windows * limit.calls, of: lanes)
  }

  private static func batches(_ count: Int, of size: Int) -> Int { (count + size - 1) / size }

  /// A step before its cost is reckoned.
  private struct Draft {
    let method: NSID
    /// Nil where a listing decides.
    let calls: Int?
    /// Bytes beside the heads of requests and answers.
    var payload = 0
  }

  private static func steps(_ question: Question) -> [Draft] {
    let profiles = App.Bsky.Actor.GetProfiles.nsid
    let named = question.dids + question.handles
    let isOpen = !question.listings.isEmpty
    var steps: [Draft] = []
    func resolve(_ handles: Int, calls: Int) {
      if calls > 0 {
        steps.append(Draft(method: profiles, calls: calls, payload: handles * Estimate.bytesPerProfile))
      }
    }
    resolve(1 + question.companions, calls: question.actorIsHandle ? 1 : 0)
    steps += question.listings.map { Draft(method: $0.method, calls: nil) }
    let later = question.handles - question.companions
    resolve(later, calls: batches(later, of: HandleResolver.batchSize))
    guard isOpen || named > 0 else { return steps }
    steps.append(
      Draft(
        method: App.Bsky.Graph.GetRelationships.nsid,
        calls: isOpen ? nil : batches(named, of: AppViewRelationshipSource.targetsPerCall),
        payload: named * Estimate.bytesPerTarget))
    if question.verifiesExistence {
      steps.append(
        Draft(
          method: profiles, calls: isOpen ? nil : batches(named + 1, of: HandleResolver.batchSize),
          payload: (named + 1) * Estimate.bytesPerProfile))
    }
    return steps
  }
}
