// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import KithPosts

/// The merge of several feeds, without any I/O.
@Suite struct FeedMergeTests {
  typealias Samples = FeedSamples

  private func items(_ author: Int, _ moments: [Int64]) throws -> [FeedItem] {
    try moments.enumerated().map { number, moment in
      try Samples.decode(Samples.item(Samples.post(author, number, at: moment)))
    }
  }

  private func moments(_ merge: inout FeedMerge) -> [Int64] {
    var found: [Int64] = []
    while let item = merge.next() { found.append(item.moment.instant.microsecondsSinceEpoch / 1_000_000) }
    return found
  }

  private func merge(_ count: Int) -> FeedMerge {
    FeedMerge(count, now: Instant(secondsSinceEpoch: Samples.now))
  }

  @Test func theNewestComesFirstAndNothingComesBeforeAllFeedsAreKnown() throws {
    var merge = merge(3)
    #expect(merge.wanting == [0, 1, 2])
    merge.receive(try items(1, [50, 20]), for: 0)
    merge.receive(try items(2, [60, 40]), for: 1)
    #expect(merge.next() == nil)
    merge.receive(nil, for: 2)
    #expect(moments(&merge) == [60])
    #expect(merge.wanting == [1], "the next page may have newer ones than the last of this one")
    merge.receive([], for: 1)
    #expect(merge.wanting == [1], "an empty page is not an end")
    merge.receive(try items(2, [30]), for: 1)
    #expect(moments(&merge) == [50])
    merge.receive(nil, for: 0)
    #expect(moments(&merge) == [40, 30])
    merge.receive(nil, for: 1)
    #expect(moments(&merge) == [20])
    #expect(merge.wanting.isEmpty && merge.next() == nil)
  }

  /// Programs import old posts, which AppViews may show among new ones.
  @Test(arguments: [0, 3, 9, 10]) func aPostWithAnOldDateComesWhereItBelongs(place: Int) throws {
    var merge = merge(2)
    let dates = (0..<20).map { 1_000 - Int64($0) * 2 }
    var imported = dates
    imported.insert(5, at: place)
    var rest = [try items(1, imported)[...], try items(2, dates.map { $0 - 1 })[...]]
    var found: [Int64] = []
    while true {
      found += moments(&merge)
      if merge.wanting.isEmpty { break }
      for feed in merge.wanting {
        let page = Array(rest[feed].prefix(10))
        rest[feed] = rest[feed].dropFirst(10)
        merge.receive(page.isEmpty ? nil : page, for: feed)
      }
    }
    #expect(found == (imported + dates.map { $0 - 1 }).sorted(by: >))
  }

  @Test func ofTheSameMomentTheFirstFeedComesFirst() throws {
    var merge = merge(3)
    for feed in [2, 0, 1] {
      merge.receive(try items(feed + 1, [7]), for: feed)
    }
    #expect(merge.next()?.sender.account == Accounts.did(1))
  }

  @Test func aPageInAnotherOrderIsSortedAndTheFutureIsNow() throws {
    var merge = merge(2)
    merge.receive(try items(1, [10, 30, 20]), for: 0)
    // Its author claims a date in the future, and so does the AppView.
    merge.receive(try items(2, [Samples.now + 500]), for: 1)
    #expect(merge.next()?.sender.account == Accounts.did(2))
    merge.receive(nil, for: 1)
    merge.receive(nil, for: 0)
    #expect(moments(&merge) == [30, 20, 10])
  }

  /// As many feeds as an account has friends, compared with sorting everything.
  @Test func theMergeIsThatOfSortingEverything() throws {
    var random = SeededGenerator(seed: 7)
    let feeds = try (1...60).map { author in
      let moments = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        Int64.random(in: 1...5_000, using: &random)
      }
      return try items(author, moments.sorted(by: >))
    }
    var merge = merge(feeds.count)
    var rest = feeds.map { $0[...] }
    var found: [FeedItem] = []
    while true {
      if let item = merge.next() {
        found.append(item)
      } else if merge.wanting.isEmpty {
        break
      } else {
        for feed in merge.wanting {
          let page = rest[feed].prefix(Int.random(in: 1...7, using: &random))
          rest[feed] = rest[feed].dropFirst(page.count)
          merge.receive(page.isEmpty ? nil : Array(page), for: feed)
        }
      }
    }
    let all = feeds.joined()
    #expect(found.count == all.count && Set(found) == Set(all) && all.count > 500)
    #expect(zip(found, found.dropFirst()).allSatisfy { $0.moment.instant >= $1.moment.instant })
  }
}
