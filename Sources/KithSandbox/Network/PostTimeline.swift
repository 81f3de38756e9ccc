// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The posts of all accounts of a network, computed on demand.
///
/// A pure function of the network's seed: the posts of a day do not depend on the time of the query. They
/// begin two years before the network is started, and each becomes visible at its own time.
struct PostTimeline: Sendable {
  /// How many days back posts go.
  private static let days = 730
  /// How old a post may be to be replied to, quoted or reposted.
  static let window = Duration.days(4)

  let network: SandboxNetwork
  private let firstDay: Int
  /// The reference day for the age of young accounts, in days since 1970.
  private let youngDay: Int
  private let salt: UInt64

  /// - Parameters:
  ///   - start: when the network is started.
  ///   - youth: by how many days the reference day for young accounts is later than the start.
  init(_ network: SandboxNetwork, start: Instant, youth: Int = 0) {
    self.network = network
    firstDay = Post.day(of: start) - Self.days
    youngDay = Post.day(of: start) + youth
    salt = SplitMix64.mix(network.configuration.seed &+ 5)
  }

  // MARK: Accounts

  /// When an account was created. A bot is always young, but never created in the future.
  func createdAt(of account: Int, now: Instant) -> Datetime {
    let made = Identities.creation(of: account, among: network.dids.count)
    guard network.isBot(account) else { return Datetime(at: made) }
    return Datetime(at: max(min(.epoch + .days(birthday(of: account)), now), made))
  }

  private func birthday(of bot: Int) -> Int { youngDay - 3 - Int(traits(of: bot) % 40) }

  /// Random bits for the posts of an account.
  func traits(of account: Int) -> UInt64 { SplitMix64.mix(salt &+ UInt64(account)) }

  private func habits(of account: Int) -> PostHabits {
    if let member = NamedAccount(rawValue: account) { return .cast(member) }
    if network.isBot(account) { return .bot }
    return .stranger(traits: traits(of: account), firstDay: firstDay)
  }

  /// The accounts that an account replies to, quotes and reposts; they may repeat.
  func circle(of account: Int) -> [Int] {
    switch NamedAccount(rawValue: account) {
    case .alice: return [NamedAccount.bob, .carol, .grace].map(\.rawValue)
    case .bob: return [NamedAccount.alice, .carol, .alice].map(\.rawValue)
    case .judy: return [NamedAccount.alice, .grace, .alice].map(\.rawValue)
    default:
      let follows = network.follows.edges(from: account)
      guard !follows.isEmpty else { return [] }
      let traits = traits(of: account)
      return (0..<3).map { place in
        let chosen = Int((traits >> (20 * UInt64(place))) & 0xFFFFF) % follows.count
        return network.follows.column(of: Int(follows[follows.startIndex + chosen]))
      }
    }
  }

  // MARK: Spans of days

  /// The spans of an account between two moments; nil if it has none.
  private func spans(
    of account: Int, _ habits: PostHabits, from: Instant, through: Instant
  ) -> ClosedRange<Int>? {
    guard !habits.counts.isEmpty, from <= through else { return nil }
    let made = Identities.creation(of: account, among: network.dids.count)
    let birthday = network.isBot(account) ? birthday(of: account) : Post.day(of: made) + 1
    let first = (max(birthday, firstDay, 0) + habits.span - 1) / habits.span
    let low = max(first, Post.day(of: from) / habits.span)
    let last = min(Post.day(of: through), habits.lastDay ?? .max)
    guard last >= 0, low <= last / habits.span else { return nil }
    return low...(last / habits.span)
  }

  private func count(_ habits: PostHabits, _ account: Int, span: Int) -> Int {
    let chance = SplitMix64.mix(traits(of: account) ^ SplitMix64.mix(UInt64(span)))
    let count = habits.counts[Int(chance % UInt64(habits.counts.count))]
    return habits.reposts && Post.isWeekend(day: span) ? count + 1 : count
  }

  /// The items of an account in a span, oldest first.
  private func items(_ habits: PostHabits, _ account: Int, span: Int) -> [Post] {
    let base = traits(of: account) &+ UInt64(span) &* 0x9E37_79B9_7F4A_7C15
    let count = count(habits, account, span: span)
    var items = (0..<count).map { number in
      let traits = SplitMix64.mix(base ^ SplitMix64.mix(UInt64(number)))
      return Post(
        author: account,
        moment: habits.isClockwork
          ? clockwork(account, span: span, number: number) : moment(habits, span: span, traits),
        kind: habits.kind(at: Int((traits >> 50) % 100)), traits: traits)
    }
    let extra = SplitMix64.mix(base ^ SplitMix64.mix(63))
    if habits.reposts, extra.isMultiple(of: 6) {
      items.append(
        Post(author: account, moment: moment(habits, span: span, extra), kind: .repost, traits: extra))
    }
    items.sort { ($0.moment, $0.traits) < ($1.moment, $1.traits) }
    return items
  }

  private func moment(_ habits: PostHabits, span: Int, _ traits: UInt64) -> Instant {
    let day = span * habits.span + Int((traits >> 4) % UInt64(habits.span))
    // Posts of an account have different milliseconds; a collision is practically impossible.
    let within = Int64((traits >> 24) % 3_600_000)
    let hour = PostHabits.hour(at: traits >> 12)
    return Instant(microsecondsSinceEpoch: ((Int64(day) * 24 + Int64(hour)) * 3_600_000 + within) * 1_000)
  }

  private func clockwork(_ account: Int, span: Int, number: Int) -> Instant {
    Instant(secondsSinceEpoch: Int64(span * 86_400 + number * 7_200) + Int64(traits(of: account) % 7_200))
  }

  // MARK: Queries

  /// The items of an account between two moments, inclusive, oldest first.
  func items(of account: Int, from: Instant, through: Instant) -> [Post] {
    let habits = habits(of: account)
    guard let spans = spans(of: account, habits, from: from, through: through) else { return [] }
    return spans.flatMap { items(habits, account, span: $0) }.filter { from...through ~= $0.moment }
  }

  /// At most `limit` items that pass, newest first.
  func items(
    of account: Int, before end: Instant, limit: Int, where passes: (Post) -> Bool
  ) -> [Post] {
    let habits = habits(of: account)
    guard let spans = spans(of: account, habits, from: .epoch, through: end) else { return [] }
    var found: [Post] = []
    for span in spans.reversed() where found.count < limit {
      found += items(habits, account, span: span).reversed().filter { $0.moment < end && passes($0) }
    }
    return Array(found.prefix(limit))
  }

  /// All posts until now, oldest first.
  func posts(of account: Int, until now: Instant) -> [Post] {
    items(of: account, from: .epoch, through: now).filter { $0.kind != .repost }
  }

  func countPosts(of account: Int, until now: Instant) -> Int {
    let habits = habits(of: account)
    guard let spans = spans(of: account, habits, from: .epoch, through: now) else { return 0 }
    let last = items(habits, account, span: spans.upperBound)
    return spans.dropLast().reduce(0) { $0 + count(habits, account, span: $1) }
      + last.count { $0.moment <= now && $0.kind != .repost }
  }

  /// The post of an account with this key, or nil.
  func post(of account: Int, key: RecordKey, until now: Instant) -> Post? {
    guard let tid = key.tid, tid.clockID == 0, tid.instant <= now else { return nil }
    return items(of: account, from: tid.instant, through: tid.instant).first { $0.kind != .repost }
  }

  /// The post that a reply, quote or repost refers to; nil if it is gone.
  func target(of post: Post) -> Post? {
    let circle = circle(of: post.author)
    guard !circle.isEmpty else { return nil }
    let chance = post.traits >> 40
    let isThread = post.kind == .reply && chance.isMultiple(of: 4)
    let author = isThread ? post.author : circle[Int(chance / 4 % UInt64(circle.count))]
    return items(
      of: author, from: max(.epoch, post.moment - Self.window), through: post.moment - .microseconds(1)
    ).last {
      $0.kind != .repost
    }
  }

  /// The initial followers of an account that quote it.
  func quoters(of author: Int) -> [Int] {
    network.follows.edges(to: author).map { network.follows.row(of: Int($0)) }
      .filter { circle(of: $0).contains(author) }
  }

  /// Items of one kind that refer to an author's posts from a period, by the time of the post.
  func references(
    _ kind: Post.Kind, to author: Int, by accounts: [Int], from: Instant, through: Instant, until now: Instant
  ) -> [Instant: [Post]] {
    var found: [Instant: [Post]] = [:]
    for account in accounts {
      for item in items(of: account, from: from, through: min(through + Self.window, now))
      where item.kind == kind {
        guard let target = target(of: item), target.author == author else { continue }
        found[target.moment, default: []].append(item)
      }
    }
    return found
  }
}

extension SandboxNetwork {
  /// Whether an account looks like a bot: it follows very many, posts at fixed intervals, is young, and has
  /// no description.
  func isBot(_ account: Int) -> Bool {
    account >= NamedAccount.allCases.count && account < dids.count
      && follows.edges(from: account).count > 10 * configuration.meanFollows
  }
}
