// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// What there is to learn about an account, each with a definition of its own.
public enum InsightMetric: String, Sendable, Hashable, CaseIterable {
  /// Followers, follows, posts, ratio, mutuals, blocks, and how they changed: ``Overview``.
  case cards
  /// Followers over time, from the first of those who are there today: ``GrowthCurve``.
  case growth
  /// Who came and who left, by period: ``AudienceFlow``.
  case flow
  /// How many of those who came in a month are still there: ``Cohort``.
  case cohorts
  /// How long it takes until those who are followed follow back: ``FollowBackTimes``.
  case followBack = "follow-back"
  /// Where the number of followers is going: ``Forecast``.
  case forecast
  /// How far a goal is: ``GoalProgress``.
  case goal
  /// How posts did, together and by kind: ``Engagement``.
  case engagement
  /// How posts did by hour and weekday: ``Engagement``.
  case times
  /// Followers that stand out: ``TopAccounts``.
  case top
  /// Which followers are there, and which are silent: ``Composition`` of a sample.
  case activity
  /// Age, language, domain, verification and labels of followers: ``Composition`` of a sample.
  case audience
  /// Followers that may be programs, each with the reasons: ``BotSign``.
  case bots
  /// How many followers are in each segment, over time.
  case segments
  /// Blocks over time, and what waves of them did to growth: ``BlockWave``.
  case blocks
}

/// An account, as people know it.
public struct InsightAccount: Sendable, Hashable {
  public let did: DID
  /// Nil where no server tells it.
  public let handle: String?
  public let displayName: String?

  /// Puts an account and its names together.
  public init(_ did: DID, handle: String? = nil, displayName: String? = nil) {
    self.did = did
    self.handle = handle
    self.displayName = displayName
  }

  /// The handle, or else the DID.
  public var name: String { handle ?? did.description }
}

/// What was learned about an account; nil or empty what was not asked for, or not learned.
public struct AccountInsights: Sendable {
  public let actor: InsightAccount
  /// When it was learned, in microseconds since 1970.
  public let at: Int64
  /// What time changes and flows are about.
  public let time: Range<Int64>
  /// Whose days, weeks and hours they are.
  public let clock: ZonedClock

  public var overview: Overview?
  /// What the profile counted over time: what a forecast goes on from.
  public var followerCounts: [CountAtMoment] = []
  public var growth: GrowthCurve?
  public var flows: [AudienceFlow] = []
  public var cohorts: [Cohort] = []
  public var followBack: FollowBackTimes?
  public var forecast: Result<Forecast, Forecast.Refusal>?
  public var goal: GoalProgress?
  public var engagement: Engagement?
  public var top = TopFollowers()
  public var activity: Composition<AgeClass>?
  public var audience: AudienceParts?
  public var bots: BotFindings?
  public var segments: [SegmentTrend] = []
  public var blocks: BlockTimeline?
  /// What a reader should know about how it was learned: sentences.
  public var notes: [String] = []

  /// Nothing is learned yet.
  public init(of actor: InsightAccount, at moment: Int64, in time: Range<Int64>, clock: ZonedClock = .utc) {
    self.actor = actor
    at = moment
    self.time = time
    self.clock = clock
  }
}

/// Followers that stand out.
public struct TopFollowers: Sendable {
  public var byFollowers: TopAccounts?
  public var byInteractions: TopAccounts?
  public var byInfluence: TopAccounts?
  /// What those have done who stand out by that.
  public var interactions: [DID: Interactions] = [:]
  /// The names of all of them.
  public var names: [DID: InsightAccount] = [:]

  /// Nobody.
  public init() {}

  public func account(_ did: DID) -> InsightAccount { names[did] ?? InsightAccount(did) }
}

/// How a sample of followers is made up.
public struct AudienceParts: Sendable, Hashable {
  /// How many of the sample a labeler has put a label on.
  public struct LabelCount: Sendable, Hashable {
    public let label: AccountLabel
    public let count: Int

    /// Puts a label and its count together.
    public init(_ label: AccountLabel, _ count: Int) {
      self.label = label
      self.count = count
    }
  }

  /// How long ago their accounts were made.
  public var ages = Composition<AgeClass>(of: [])
  /// The language that most of the latest posts of each are in, as a tag of BCP 47.
  public var languages = Composition<String>(of: [])
  /// Under which domains their handles are.
  public var domains = Composition<HandleDomain>(of: [])
  /// `verified`, `trusted-verifier` or `none`, as an AppView says.
  public var verification = Composition<String>(of: [])
  /// How many have each label of each labeler.
  public var labels: [LabelCount] = []
  /// How many were looked at.
  public var sampleSize = 0
  /// How many there are.
  public var population = 0

  /// Nobody was looked at.
  public init() {}
}

/// Followers that may be programs.
public struct BotFindings: Sendable {
  /// An account, and all reasons that hold.
  public struct Finding: Sendable, Hashable {
    public let account: InsightAccount
    public let signs: [BotSign]

    /// Puts an account and its reasons together.
    public init(_ account: InsightAccount, _ signs: [BotSign]) {
      self.account = account
      self.signs = signs
    }
  }

  /// Those with reasons enough, the most first: ``BotSign/areEnough(_:)``.
  public let likely: [Finding]
  /// The share of all followers that are likely bots, as far as the sample is a fair one; nil without a sample.
  public let share: Estimate?
  /// How often each rule holds.
  public let rules: [String: Int]
  /// The names of labelers that are known.
  public let labelers: [DID: InsightAccount]

  /// Judges a sample of followers.
  public init(
    _ sample: [(account: InsightAccount, traits: AccountTraits)], now: Int64,
    labelers: [DID: InsightAccount] = [:]
  ) {
    var (found, rules) = ([Finding](), [String: Int]())
    for (account, traits) in sample {
      let signs = BotSign.signs(of: traits, now: now)
      for rule in Set(signs.map(\.rule)) { rules[rule, default: 0] += 1 }
      if BotSign.areEnough(signs) { found.append(Finding(account, signs)) }
    }
    likely = found.sorted {
      ($1.signs.count, $0.account.did.description) < ($0.signs.count, $1.account.did.description)
    }
    share = .share(found.count, of: sample.count)
    self.rules = rules
    self.labelers = labelers
  }
}

/// How many are in a segment, over time.
public struct SegmentTrend: Sendable, Hashable {
  public let name: String
  /// Who is in it, in the language of predicates.
  public let predicate: String
  /// How many were in it when they were counted, in the order of time.
  public let counts: [CountAtMoment]

  /// Puts a segment and its counts together.
  public init(name: String, predicate: String, counts: [CountAtMoment]) {
    self.name = name
    self.predicate = predicate
    self.counts = counts.sorted { $0.at < $1.at }
  }
}

/// Blocks over time.
public struct BlockTimeline: Sendable, Hashable {
  /// How many blocks were made in a period.
  public struct Part: Sendable, Hashable {
    public let period: CalendarPeriod
    public let blocking: Int
    public let blockedBy: Int
  }

  /// The periods in which there were any, and those between.
  public let parts: [Part]
  /// Waves of accounts that blocked the actor.
  public let waves: [BlockWave]
  /// Blocks by the actor of which no date is known.
  public let undated: Int
  /// Whether it is known who blocks the actor only where they left as followers: no index tells of others.
  public let knowsOnlyLosses: Bool

  /// Sorts blocks by time.
  ///
  /// - Parameters:
  ///   - blocking: when the actor blocked somebody; nil where that is not known.
  ///   - blockedBy: when somebody blocked the actor.
  ///   - flows: growth by day.
  public init(
    blocking: [Int64?], blockedBy: [Int64], knowsOnlyLosses: Bool, flows: [AudienceFlow],
    by unit: CalendarUnit,
    clock: ZonedClock, in time: Range<Int64>
  ) {
    let dated = blocking.compactMap(\.self)
    undated = blocking.count - dated.count
    let shown = (dated + blockedBy).filter(time.contains)
    if let first = shown.min(), let last = shown.max() {
      let periods = clock.periods(unit, in: first..<last.moved(by: 1))
      var counts = [(blocking: Int, blockedBy: Int)](repeating: (0, 0), count: periods.count)
      let calendar = PeriodIndex(periods)
      for moment in dated { if let index = calendar.index(of: moment) { counts[index].blocking += 1 } }
      for moment in blockedBy {
        if let index = calendar.index(of: moment) { counts[index].blockedBy += 1 }
      }
      parts = zip(periods, counts).map { Part(period: $0, blocking: $1.blocking, blockedBy: $1.blockedBy) }
    } else {
      parts = []
    }
    waves = BlockWave.waves(of: blockedBy, flows: flows, clock: clock)
    self.knowsOnlyLosses = knowsOnlyLosses
  }
}
