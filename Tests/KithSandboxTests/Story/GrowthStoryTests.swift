// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import KithLocalMessages
import TestSupport
import Testing

@testable import KithSandbox

@Suite struct GrowthStoryTests {
  private static let start: Instant = 1_750_000_000_000_000
  private static let days = 200
  private static let network = SandboxNetwork(configuration: .init(accounts: 3_000))
  private static let alice = network.dids[NamedAccount.alice.rawValue]
  /// The story, run once.
  private static let told = Telling()

  /// A network after the story, the events of each day, and the number of listed followers after each day.
  private final class Telling: Sendable {
    let live: LiveNetwork
    let first: Set<DID>
    let events: [[SandboxEvent]]
    let followers: [Int]

    init(days: Int = GrowthStoryTests.days) {
      let time = PosixMutex(GrowthStoryTests.start)
      let live = LiveNetwork(GrowthStoryTests.network, .init(), days: days, pace: .growth) {
        time.withLock { $0 }
      }
      self.live = live
      first = Self.listed(live)
      var followers = [first.count]
      var events: [[SandboxEvent]] = []
      for _ in 0..<days {
        time.withLock { $0 += .days(1) }
        events.append(live.passDay() ?? [])
        followers.append(Self.listed(live).count)
      }
      self.events = events
      self.followers = followers
    }

    /// The followers of alice that the AppView lists.
    static func listed(_ live: LiveNetwork) -> Set<DID> {
      let (alice, graph) = (NamedAccount.alice.rawValue, live.state { $0.graph })
      return Set(
        graph.follows.edges(to: alice).map { graph.follows.row(of: Int($0)) }
          .filter { graph.isShown($0) && !graph.isBlocked(alice, $0) }.map { graph.network.dids[$0] })
    }
  }

  private var all: [SandboxEvent] { Self.told.events.flatMap(\.self) }

  private func count(_ kind: SandboxEvent.Kind) -> Int { all.count { $0.kind == kind } }

  @Test func growsAndThenEnds() {
    let followers = Self.told.followers
    #expect(followers[Self.days] > followers[0] * 5 / 4)
    #expect(Self.told.live.passDay() == nil)
    // Most days bring few, some days bring many.
    let gains = zip(followers, followers.dropFirst()).map { $1 - $0 }
    #expect(gains.count { $0 > 15 } >= 2)
    #expect(gains.sorted()[gains.count / 2] < 5)
  }

  @Test func namesWhatItDid() {
    var listed = Self.told.first
    let blocked = { (event: SandboxEvent) in event.account == Self.alice ? event.subject : event.account }
    var following = listed
    for event in all {
      switch event.kind {
      case .followed where event.subject == Self.alice:
        listed.insert(event.account)
        following.insert(event.account)
      case .unfollowed where event.subject == Self.alice:
        listed.remove(event.account)
        following.remove(event.account)
      case .blocked: if let one = blocked(event) { listed.remove(one) }
      case .deleted, .suspended, .takenDown, .deactivated: listed.remove(event.account)
      case .reactivated where following.contains(event.account): listed.insert(event.account)
      default: break
      }
    }
    #expect(listed == Telling.listed(Self.told.live))
    let kinds = Set(all.map(\.kind))
    #expect(kinds.isSuperset(of: [.followed, .unfollowed, .blocked, .deleted, .deactivated, .renamed]))
  }

  @Test func hasOneWaveOfBlocks() throws {
    let blocks = Self.told.events.map { day in day.count { $0.kind == .blocked && $0.subject == Self.alice } }
    let first = try #require(blocks.firstIndex { $0 > 0 })
    #expect(blocks[first..<(first + 3)].reduce(0, +) == blocks.reduce(0, +))
    let share = Double(blocks.reduce(0, +)) / Double(Self.told.followers[first])
    #expect((0.015...0.045).contains(share))
  }

  @Test func losesASteadyShare() {
    let losses = all.count { $0.kind == .unfollowed && $0.subject == Self.alice }
    let mean = Double(Self.told.followers.reduce(0, +)) / Double(Self.days + 1)
    #expect((0.002...0.005).contains(Double(losses) / Double(Self.days) / mean))
  }

  @Test func letsAliceFollowBack() {
    let back = all.filter { $0.kind == .followed && $0.account == Self.alice }.compactMap(\.subject)
    #expect(back.count > 5)
    let graph = Self.told.live.state { $0.graph }
    let mutual = back.filter { one in
      let edges = graph.relationship(of: Self.alice, with: one)
      return edges.following != nil && edges.followedBy != nil
    }
    #expect(!mutual.isEmpty)
  }

  @Test func datesItsRecordsByItsTime() throws {
    let days = Self.told.events.indices
    let records = Self.told.live.records(of: Self.alice, in: App.Bsky.Graph.Follow.nsid)
    let later = records.compactMap(\.key.tid?.instant).filter { $0 > Self.start }
    #expect(!later.isEmpty)
    for moment in later {
      let day = (moment - Self.start) / .days(1)
      #expect(abs(day - day.rounded()) < 0.001 && days.contains(Int(day.rounded()) - 1))
    }
  }

  @Test func letsAPostSpread() throws {
    let state = Self.told.live.state { $0 }
    #expect(state.viral.count == 2)
    let post = try #require(state.viral.first)
    let audience = Audience(of: NamedAccount.alice.rawValue, in: state.graph)
    let now = Self.told.live.wall()
    let usual = audience.counts(of: post, isViral: false, until: now).likes
    #expect(audience.counts(of: post, isViral: true, until: now).likes > 2 * usual)
  }

  @Test func isTheSameForTheSameSeed() {
    #expect(Telling(days: 30).events == Telling(days: 30).events)
  }

  /// A page that is open in a browser of this machine.
  @Test(
    arguments: [
      (nil, nil, false), ("127.0.0.1:2583", nil, false), ("localhost:2583", "http://localhost:5173", false),
      ("127.0.0.1:2583", "http://127.0.0.1:2583", false), ("[::1]:2583", "http://[::1]:2583", false),
      ("127.0.0.1:2583", "http://evil.example", true), ("127.0.0.1:2583", "null", true),
      ("evil.example:2583", "http://evil.example:2583", true), ("evil.example:2583", nil, true),
      ("127.0.0.1:2583", "http://127.0.0.1.evil.example", true),
      ("127.0.0.1:2583", "http://localhost@evil.example", true),
    ] as [(String?, String?, Bool)])
  func noPageFromElsewhereChangesAnything(host: String?, page: String?, isRefused: Bool) {
    let telling = Telling(days: 3)
    let origin = SandboxOrigin(telling.live, url: "http://127.0.0.1:2583", paging: .refilled)
    for path in ["/day", "/xrpc/com.atproto.server.createSession"] {
      var request = LocalRequest(method: "POST", path: path, host: host, origin: page)
      #expect((origin.answer(request).status == 403) == isRefused, "\(path)")
      request.method = "GET"
      // A page may read only under a name of this machine; then its browser does not show it the answer.
      #expect((origin.answer(request).status == 403) == (host?.hasPrefix("evil.example") == true), "\(path)")
    }
  }

  /// A repository last changed when it was written to or its owner posted.
  @Test func showsWhenAnAccountPosted() throws {
    let origin = SandboxOrigin(Self.told.live, url: "http://127.0.0.1:2583", paging: .refilled)
    let bob = Self.network.dids[NamedAccount.bob.rawValue]
    let answer = origin.answer(
      LocalRequest(method: "GET", path: "/xrpc/com.atproto.sync.getLatestCommit", query: "did=\(bob)"))
    let commit = try Com.Atproto.Sync.GetLatestCommit.Output(payload: answer.body)
    let posts = Self.told.live.posts.posts(of: NamedAccount.bob.rawValue, until: Self.told.live.wall())
    #expect(commit.rev.instant == posts.last?.moment)
  }
}
