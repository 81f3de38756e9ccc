// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The past and present followers of an account, and how they react to its posts.
///
/// A follower reacts to a post within two days, and only while following. So posts keep their likes when
/// followers leave. A few are fans that like nearly everything.
struct Audience: Sendable {
  /// A reaction to a post, and when.
  struct Reaction: Sendable, Hashable {
    let account: Int
    let moment: Instant
    /// The record, if a user has written it.
    var written: WrittenPosts.Reaction?
  }

  /// The number of reactions to a post.
  struct Counts: Sendable, Hashable {
    var likes = 0
    var reposts = 0
    var replies = 0
  }

  private struct Member: Sendable {
    let account: Int
    let salt: UInt64
    let isFan: Bool
    /// When it followed, until it unfollowed.
    let stay: Range<Instant>
  }

  private let members: [Member]

  /// Leaves out deleted accounts, because their records are gone.
  init(of author: Int, in graph: LiveGraph) {
    let seed = SplitMix64.mix(graph.network.configuration.seed &+ 6)
    members = graph.follows.history(to: author).compactMap { stay in
      guard stay.row < graph.network.dids.count, graph.standings.status(at: stay.row) != .deleted else {
        return nil
      }
      let salt = SplitMix64.mix(seed ^ (UInt64(author) << 32 | UInt64(stay.row)))
      return Member(
        account: stay.row, salt: salt, isFan: Self.isFan(stay.row, of: author, salt), stay: stay.moments)
    }
  }

  private static func isFan(_ account: Int, of author: Int, _ salt: UInt64) -> Bool {
    if author == NamedAccount.alice.rawValue, [NamedAccount.judy, .bob].map(\.rawValue).contains(account) {
      return true
    }
    return (salt >> 40).isMultiple(of: 100)
  }

  /// - Parameter isViral: whether the post was spread far beyond the usual.
  func counts(of post: Post, isViral: Bool, until now: Instant) -> Counts {
    var counts = Counts()
    visit(post, isViral, until: now) { _, liked, reposted, replied in
      if liked { counts.likes += 1 }
      if reposted { counts.reposts += 1 }
      if replied { counts.replies += 1 }
    }
    return counts
  }

  /// Returns the likes, newest first.
  func likes(of post: Post, isViral: Bool, until now: Instant) -> [Reaction] {
    var likes: [Reaction] = []
    visit(post, isViral, until: now) { reaction, liked, _, _ in if liked { likes.append(reaction) } }
    return likes.sorted { ($0.moment, $0.account) > ($1.moment, $1.account) }
  }

  /// Returns the reposts, newest first.
  func reposts(of post: Post, isViral: Bool, until now: Instant) -> [Reaction] {
    var reposts: [Reaction] = []
    visit(post, isViral, until: now) { reaction, _, reposted, _ in
      if reposted { reposts.append(reaction) }
    }
    return reposts.sorted { ($0.moment, $0.account) > ($1.moment, $1.account) }
  }

  private func visit(
    _ post: Post, _ isViral: Bool, until now: Instant,
    _ body: (_ reaction: Reaction, _ liked: Bool, _ reposted: Bool, _ replied: Bool) -> Void
  ) {
    let appeal = EngagementModel(post, isViral: isViral)
    for member in members {
      let chance = SplitMix64.mix(post.traits ^ member.salt)
      let liked = chance & EngagementModel.mask < appeal.likes(isFan: member.isFan, member.salt)
      let reposted = chance >> 20 & EngagementModel.mask < appeal.reposts(isFan: member.isFan)
      let replied = chance >> 40 & EngagementModel.mask < appeal.replies(isFan: member.isFan)
      guard liked || reposted || replied else { continue }
      let moment = post.moment + EngagementModel.delay(chance)
      guard moment <= now, member.stay.contains(moment) else { continue }
      // Alice's reposts come from her feed.
      let isReposter = reposted && member.account != NamedAccount.alice.rawValue
      body(Reaction(account: member.account, moment: moment), liked, isReposter, replied)
    }
  }
}
