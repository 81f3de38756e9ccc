// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The metrics about an account.
public enum InsightMetric: String, Sendable, Hashable, CaseIterable {
  /// Followers, follows, posts, ratio, mutuals, blocks, and their changes: ``Overview``.
  case cards
  /// Followers over time, from the first of today's followers: ``GrowthCurve``.
  case growth
  /// Gains and losses by period: ``AudienceFlow``.
  case flow
  /// Retention of the followers gained in each month: ``Cohort``.
  case cohorts
  /// How long followed accounts take to follow back: ``FollowBackTimes``.
  case followBack = "follow-back"
  /// The forecast of the number of followers: ``Forecast``.
  case forecast
  /// The progress towards a goal: ``GoalProgress``.
  case goal
  /// Engagement of posts, in total and by kind: ``Engagement``.
  case engagement
  /// Engagement of posts by hour and weekday: ``Engagement``.
  case times
  /// The hours and weekdays in which followers post: ``PostingTimes`` of a sample.
  case audienceTimes = "audience-times"
  /// Outstanding followers: ``TopAccounts``, ``NotableFollower``.
  case top
  /// Active and inactive followers: ``Composition`` of a sample.
  case activity
  /// Age, language, domain, verification, labels and words of followers: ``Composition`` and ``BioWords`` of a sample.
  case audience
  /// Followers that may be automated, with the signs: ``BotSign``.
  case bots
  /// The number of followers in each segment, over time.
  case segments
  /// Blocks over time, and the effect of waves on growth: ``BlockWave``.
  case blocks

  /// Whether it is computed from what servers answer at the time, and not from snapshots.
  public var needsServers: Bool {
    switch self {
    case .engagement, .times, .audienceTimes, .top, .activity, .audience, .bots: true
    case .cards, .growth, .flow, .cohorts, .followBack, .forecast, .goal, .segments, .blocks: false
    }
  }
}

/// An account with its names.
public struct InsightAccount: Sendable, Hashable {
  public let did: DID
  /// Nil if unknown.
  public let handle: String?
  public let displayName: String?

  /// Creates an account.
  public init(_ did: DID, handle: String? = nil, displayName: String? = nil) {
    self.did = did
    self.handle = handle
    self.displayName = displayName
  }

  /// The handle, or the DID if there is none.
  public var name: String { handle ?? did.description }

  /// Its page in the app of Bluesky, which a renamed account keeps.
  public var page: String { "\(Self.pages)\(did)" }

  private static let pages = "https://bsky.app/profile/"

  /// The account that a page is about; nil if it is not one of an account.
  package static func account(ofPage page: String) -> DID? {
    page.hasPrefix(pages) ? DID(String(page.dropFirst(pages.count))) : nil
  }
}

/// The insights about an account; nil or empty if not requested or unknown.
public struct AccountInsights: Sendable {
  public let actor: InsightAccount
  /// When the data was read.
  public let at: Instant
  /// The time range of changes and flows.
  public let time: Range<Instant>
  /// The time zone of days, weeks and hours.
  public let clock: ZonedCalendar

  public var overview: Overview?
  /// The last snapshot of the followers without doubt before the end of the time range; nil if there is none, or if no
  /// metric needs it.
  public var listing: SnapshotFacts?
  /// The profile's counts over time, the basis of forecasts.
  public var followerCounts: [Sample<Int>] = []
  public var growth: GrowthCurve?
  public var flows: [AudienceFlow] = []
  /// Who came and who left between the snapshots of the time range.
  public var changes: AudienceChanges?
  /// Whether who came and who left was asked for.
  public var wantsPeople = false
  public var cohorts: [Cohort] = []
  public var followBack: FollowBackTimes?
  public var forecast: Result<Forecast, Forecast.Refusal>?
  public var goal: GoalProgress?
  public var engagement: Engagement?
  /// How many posts of ``engagement`` were written so long after the last count of followers that it is an old one.
  public var postsWithOldCount = 0
  /// How many posts of ``engagement`` were written before the first count of followers, so that their rates are those of
  /// the followers that stayed.
  public var postsBeforeCounts = 0
  /// The posts of the time range with the most interactions.
  public var bestPosts: [BestPost] = []
  public var top = TopFollowers()
  public var activity: Composition<AgeClass>?
  public var audienceTimes: PostingTimes?
  public var audience: AudienceParts?
  public var bots: BotFindings?
  public var segments: [SegmentTrend] = []
  public var blocks: BlockTimeline?
  /// What the numbers lack.
  public var gaps: [InsightGap] = []

  /// Whether the time range ended before the data was read, so that counts are those of then.
  public var isPast: Bool { time.upperBound < at }

  /// How the count has changed since the followers were last listed; nil if it has not, or if that is not known.
  public var changeSinceListing: Int? {
    guard let listing, let counted = listing.counted, !isPast,
      let last = followerCounts.max(by: { $0.at < $1.at }), last.at > listing.endedAt, last.value != counted
    else { return nil }
    return last.value - counted
  }

  /// Adds what was read from servers, and what that lacks.
  ///
  /// - Parameter survey: insights of the metrics for which ``InsightMetric/needsServers`` holds, about the same time range.
  package mutating func add(survey: AccountInsights) {
    (engagement, bestPosts) = (survey.engagement, survey.bestPosts)
    (postsWithOldCount, postsBeforeCounts) = (survey.postsWithOldCount, survey.postsBeforeCounts)
    (top, activity, audienceTimes) = (survey.top, survey.activity, survey.audienceTimes)
    (audience, bots) = (survey.audience, survey.bots)
    gaps += survey.gaps.filter { !gaps.contains($0) }
  }

  /// Creates empty insights.
  public init(
    of actor: InsightAccount, at moment: Instant, in time: Range<Instant>, clock: ZonedCalendar = .utc
  ) {
    self.actor = actor
    at = moment
    self.time = time
    self.clock = clock
  }
}

/// Followers that stand out.
public struct TopFollowers: Sendable {
  public var byFollowers: TopAccounts?
  /// The number of followers that there are; if more than were compared, ``byFollowers`` may miss larger ones.
  public var population = 0
  /// Verified followers and those with more followers than the account, the most followed ones first.
  public var notable: [NotableFollower] = []
  /// The most followed of the examined followers that the account follows, if a snapshot shows its follows.
  package var mutuals: TopAccounts?
  public var byInteractions: TopAccounts?
  public var byInfluence: TopAccounts?
  /// The interactions of the accounts in ``byInteractions``.
  public var interactions: [DID: Interactions] = [:]
  /// The names of all these accounts.
  public var names: [DID: InsightAccount] = [:]

  /// Creates an empty result.
  public init() {}

  public func account(_ did: DID) -> InsightAccount { names[did] ?? InsightAccount(did) }
}

/// The composition of a sample of followers.
public struct AudienceParts: Sendable, Hashable {
  /// The number of accounts in the sample with a label.
  public struct LabelCount: Sendable, Hashable {
    public let label: AccountLabel
    public let count: Int

    /// Creates a count.
    public init(_ label: AccountLabel, _ count: Int) {
      self.label = label
      self.count = count
    }
  }

  /// The ages of the accounts.
  public var ages = Composition<AgeClass>(of: [])
  /// The language of most of each account's latest posts, as a BCP 47 tag.
  public var languages = Composition<String>(of: [])
  /// The domains of the handles.
  public var domains = Composition<HandleDomain>(of: [])
  /// `verified`, `trusted-verifier` or `none`, according to an AppView.
  public var verification = Composition<String>(of: [])
  /// The counts of each label of each labeler.
  public var labels: [LabelCount] = []
  /// The names of known labelers.
  public var labelers: [DID: InsightAccount] = [:]
  /// The words with which the accounts describe themselves.
  public var words = BioWords(of: [])
  /// The size of the sample.
  public var sampleSize = 0
  /// The number of followers.
  public var population = 0

  /// Creates an empty result.
  public init() {}
}

/// Followers that may be automated.
public struct BotFindings: Sendable {
  /// An account with all signs that apply.
  public struct Finding: Sendable, Hashable {
    public let account: InsightAccount
    public let signs: [BotSign]

    /// Creates a finding.
    public init(_ account: InsightAccount, _ signs: [BotSign]) {
      self.account = account
      self.signs = signs
    }
  }

  /// Accounts with enough signs, most signs first; see ``BotSign/areEnough(_:)``.
  public let likely: [Finding]
  /// The share of likely bots among all followers, provided that the sample is fair; nil without a sample.
  public let share: Estimate?
  /// How often each rule applies.
  public let rules: [String: Int]
  /// The number of followers that there are; if more than were examined, ``likely`` may miss some.
  public let population: Int
  /// The names of known labelers.
  public let labelers: [DID: InsightAccount]

  /// Evaluates a sample of followers.
  ///
  /// - Parameter population: the number of followers that there are; nil if the sample is all of them.
  public init(
    _ sample: [(account: InsightAccount, traits: AccountTraits)], of population: Int? = nil, now: Instant,
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
    self.population = population ?? sample.count
    self.labelers = labelers
  }
}

/// The number of followers in a segment, over time.
public struct SegmentTrend: Sendable, Hashable {
  public let name: String
  /// The predicate that selects them.
  public let predicate: String
  /// The counts, in order of time.
  public let counts: [Sample<Int>]

  /// Creates a trend.
  public init(name: String, predicate: String, counts: [Sample<Int>]) {
    self.name = name
    self.predicate = predicate
    self.counts = counts.sorted { $0.at < $1.at }
  }
}
