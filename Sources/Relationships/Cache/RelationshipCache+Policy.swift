// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

extension RelationshipCache {
  /// How long answers are kept, and how many.
  public struct Policy: Sendable, Hashable {
    /// For relationships; zero turns the cache off.
    public var lifetime: Duration
    /// For accounts that were not found: they may appear any moment.
    public var absenceLifetime: Duration
    /// How long a relationship whose time is over may still be shown while it is asked for anew; zero for
    /// never.
    public var staleLifetime: Duration
    /// The most answers kept, one for each pair of accounts; the longest unused one makes room.
    ///
    /// An answer takes 96 bytes, and five to eleven in the index, at the time it is learned: 250,000 take 27
    /// MB. Edges by list and other addresses that cannot be packed come on top, up to 128 bytes for each
    /// answer that may be kept; accounts whose existence was asked for, up to as many, at 45 to 51 bytes.
    public var capacity: Int

    /// Five minutes, one minute for absences, nothing stale, 250,000 answers.
    public init(
      lifetime: Duration = .seconds(300), absenceLifetime: Duration = .seconds(60),
      staleLifetime: Duration = .zero, capacity: Int = 250_000
    ) {
      self.lifetime = lifetime
      self.absenceLifetime = min(absenceLifetime, lifetime)
      self.staleLifetime = staleLifetime
      self.capacity = capacity
    }

    /// Keeps nothing.
    public static let off = Policy(lifetime: .zero, absenceLifetime: .zero, capacity: 0)
  }

  /// What a cache has done so far.
  public struct Statistics: Sendable, Hashable {
    /// Questions answered from memory.
    public var hits = 0
    /// Those of them whose answer's time was over; see ``Policy/staleLifetime``.
    public var staleHits = 0
    /// Questions that were not answered from memory.
    public var misses = 0
    /// Answers that made room for others before their time.
    public var evictions = 0
    /// Answers kept now, those included whose time is over but that nothing has removed yet.
    public var count = 0
  }

  /// What is remembered of one pair.
  enum Lookup: Sendable, Equatable {
    case fresh(RelationshipFinding)
    /// Its time is over: it may be shown, and is to be asked for anew.
    case stale(RelationshipFinding)
    case none
  }

  /// What is remembered of many targets.
  struct Remembered: Sendable {
    /// Those of which something is remembered, told to come from the cache.
    var known: [DID: RelationshipFinding] = [:]
    /// Those of them that are to be asked for anew, in the order of the targets.
    var stale: [DID] = []
  }

  /// What is remembered of whom an actor follows.
  struct Follows: Sendable {
    /// Whether each target is followed; a target that was not found is in neither ``known`` nor ``missing``.
    var known: [DID: Bool] = [:]
    /// Those of ``known`` that are to be asked for anew, in the order of the targets.
    var stale: [DID] = []
    /// Those that have to be asked for, in the order of the targets; one named twice may be here twice.
    var missing: [DID] = []
  }
}
