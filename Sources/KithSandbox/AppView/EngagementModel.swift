// SPDX-License-Identifier: Apache-2.0

/// How likely an account is to like, repost or reply to a post, in parts of 2^20.
///
/// Images do better than text, replies worse; evenings (UTC) and weekends do better; the rest is chance.
struct EngagementModel {
  static let mask: UInt64 = 0xFFFFF
  private static let whole = Double(mask + 1)
  /// The share of an audience that likes a plain text post at noon.
  private static let usual = 0.03

  private let share: Double
  private let isReply: Bool

  init(_ post: Post, isViral: Bool) {
    let kind =
      switch post.kind {
      case .text, .repost: 1.0
      case .images: 1.9
      case .video: 1.5
      case .link: 0.7
      case .quote: 0.9
      case .reply: 0.25
      }
    let hour =
      switch post.hour {
      case 18...21: 1.6
      case 0...5: 0.6
      default: 1.0
      }
    let chance = SplitMix64.mix(post.traits &+ 7)
    // From 0.5 to 2; one in fifty gets three times as much.
    let luck = 0.5 + Double(chance % 1_000) * Double(chance >> 20 % 1_000) * 1.5e-6
    let hit = (chance >> 40).isMultiple(of: 50) ? 3.0 : 1.0
    let all = Self.usual * kind * hour * (post.isOnWeekend ? 1.25 : 1) * luck * hit
    share = min(isViral ? max(8 * all, 0.25) : all, 0.9)
    isReply = post.kind == .reply
  }

  /// Some accounts like more posts than others.
  func likes(isFan: Bool, _ salt: UInt64) -> UInt64 {
    let eagerness = isFan ? (isReply ? 0.5 : 0.92) : share * (0.2 + Double(salt % 1_000) * 1.6e-3)
    return UInt64(min(eagerness, 1) * Self.whole)
  }

  func reposts(isFan: Bool) -> UInt64 { UInt64((isFan ? 0.15 : share * 0.15) * Self.whole) }

  func replies(isFan: Bool) -> UInt64 { UInt64((isFan ? 0.1 : share * 0.12) * Self.whole) }

  /// The delay of a reaction after a post: mostly within hours, at most two days.
  static func delay(_ chance: UInt64) -> Duration {
    let fraction = Double(SplitMix64.mix(chance) >> 11) * 0x1p-53
    return .microseconds(Int64(fraction * fraction * fraction * 172_800_000_000))
  }
}
