// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// Engagement of posts by common properties.
@Suite struct EngagementTests {
  private func post(
    _ moment: Instant, _ kinds: PostKinds = .text, likes: Int, followers: Int? = 100
  ) -> PostFigures {
    PostFigures(
      at: moment, kinds: kinds, likes: likes, reposts: 1, replies: 2, quotes: 3, followers: followers)
  }

  @Test func theRateIsInteractionsPerFollower() {
    #expect(post(0, likes: 4).engagementRate == 0.1)
    #expect(post(0, likes: 4, followers: nil).engagementRate == nil)
    #expect(post(0, likes: 4, followers: 0).engagementRate == nil)
    #expect(post(0, likes: -4).interactions == 6 && post(0, likes: .max).interactions == .max)
  }

  @Test func tooFewPostsHaveNoRate() {
    let engagement = Engagement(of: (0..<9).map { post(Instant($0), likes: $0) })
    #expect(engagement.posts == 9 && engagement.rate == nil)
    #expect(engagement.byHour.map(\.posts) == [9] && engagement.byHour.allSatisfy { $0.rate == nil })
    #expect(engagement.byHour.allSatisfy { $0.comparison == .unclear })
    #expect(Engagement(of: []).byKind.isEmpty)
  }

  /// Posts whose success has nothing to do with their time: at most one picture in twenty claims something.
  @Test func picturesOfChanceClaimNothing() throws {
    var numbers = SeededNumbers(seed: 53)
    let (monday, pictures) = (try at("2026-11-23"), 200)
    var wrong = (times: 0, kinds: 0)
    for _ in 0..<pictures {
      let posts = (0..<500).map { _ in
        post(
          monday + .seconds(Int.random(in: 0..<28 * 86_400, using: &numbers)),
          PostKinds.all.randomElement(using: &numbers) ?? .text,
          likes: Int.random(in: 0...999, using: &numbers))
      }
      let engagement = Engagement(of: posts)
      if (engagement.byHour + engagement.byWeekday).contains(where: { $0.comparison != .unclear }) {
        wrong.times += 1
      }
      if engagement.byKind.contains(where: { $0.comparison != .unclear }) { wrong.kinds += 1 }
    }
    #expect(wrong.times <= pictures / 20 && wrong.kinds <= pictures / 20)
  }

  @Test func onlyClearDifferencesBetweenGroupsAreReported() throws {
    let monday = try at("2026-11-23")
    let hour: Int64 = 3_600_000_000
    var posts: [PostFigures] = []
    for index in 0..<100 {
      // At eight posts do well, at twenty badly; images do as well as all posts.
      let kinds: PostKinds = index.isMultiple(of: 2) ? [.image, .reply] : .text
      posts.append(post(monday + 8 * hour, kinds, likes: 500 + index))
      posts.append(post(monday + 20 * hour, kinds, likes: index % 7))
      posts.append(post(monday + 13 * hour, kinds, likes: 100 + index))
    }
    let engagement = Engagement(of: posts)
    #expect(engagement.byHour.map(\.key) == [8, 13, 20])
    #expect(engagement.byHour.map(\.comparison) == [.better, .unclear, .worse])
    #expect(engagement.byKind.map(\.key) == [.text, .image, .reply])
    #expect(engagement.byKind.map(\.posts) == [150, 150, 150])
    #expect(engagement.byKind.allSatisfy { $0.comparison == .unclear })
    #expect(engagement.byWeekday.map(\.key) == [1] && engagement.posts == 300)
    #expect(Engagement(of: posts.reversed()) == engagement)
    let elsewhere = Engagement(of: posts, clock: ZonedCalendar(name: "east", secondsEast: 5 * 3_600))
    #expect(elsewhere.byHour.map(\.key) == [1, 13, 18])
  }
}
