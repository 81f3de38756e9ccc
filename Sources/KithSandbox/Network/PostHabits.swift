// SPDX-License-Identifier: Apache-2.0

/// The posting habits of an account: how often, since when, at which hours, and what.
struct PostHabits {
  /// The length of a span in days; the number of posts is chosen per span.
  let span: Int
  /// The possible numbers of posts in a span.
  let counts: [Int]
  /// The last day with posts, in days since 1970; nil for no end.
  var lastDay: Int?
  /// The kinds of a hundred posts.
  var kinds = Self.ordinaryKinds
  /// Whether it posts at the same minute of every second hour.
  var isClockwork = false
  /// Whether it sometimes reposts other accounts.
  var reposts = false

  static let none = PostHabits(span: 30, counts: [])

  static func cast(_ member: NamedAccount) -> PostHabits {
    switch member {
    case .alice: PostHabits(span: 1, counts: [1, 2, 3, 3, 4, 4], reposts: true)
    case .bob: PostHabits(span: 4, counts: [1, 2, 2, 3], kinds: admirersKinds)
    case .judy: PostHabits(span: 8, counts: [1, 2, 2, 3], kinds: admirersKinds)
    case .niaj: .none
    default: PostHabits(span: 8, counts: [1, 2, 2, 3])
    }
  }

  /// - Parameter firstDay: the first day with any posts, in days since 1970.
  static func stranger(traits: UInt64, firstDay: Int) -> PostHabits {
    var habits =
      switch traits % 100 {
      case 0..<8: PostHabits.none
      case 8..<38: PostHabits(span: 30, counts: [0, 0, 0, 1])
      case 38..<95: PostHabits(span: 30, counts: [0, 1, 1, 2])
      default: PostHabits(span: 30, counts: [4, 8, 12, 16])
      }
    // One in eight has been silent for more than a year.
    if (traits >> 8).isMultiple(of: 8) { habits.lastDay = firstDay + 60 + Int((traits >> 16) % 280) }
    return habits
  }

  static let bot = PostHabits(
    span: 1, counts: [12], kinds: expanded([(.link, 80), (.text, 20)]), isClockwork: true)

  /// The hour of a post for a random number: few posts at night, most in the evening.
  static func hour(at share: UInt64) -> Int { hours[Int(share % UInt64(hours.count))] }

  /// The kind of a post for a number below 100.
  func kind(at share: Int) -> Post.Kind { kinds[share] }

  private static let ordinaryKinds = expanded([
    (.text, 44), (.images, 20), (.video, 5), (.link, 10), (.quote, 7), (.reply, 14),
  ])
  private static let admirersKinds = expanded([
    (.text, 36), (.images, 16), (.video, 3), (.link, 7), (.quote, 24), (.reply, 14),
  ])
  private static let hours = [
    2, 1, 1, 0, 0, 1, 3, 6, 7, 6, 5, 5, 7, 6, 5, 5, 6, 8, 11, 12, 12, 10, 7, 4,
  ].enumerated().flatMap { hour, weight in Array(repeating: hour, count: weight) }

  private static func expanded(_ shares: [(kind: Post.Kind, weight: Int)]) -> [Post.Kind] {
    shares.flatMap { Array(repeating: $0.kind, count: $0.weight) }
  }
}
