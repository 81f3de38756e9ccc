// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithCore
import TestSupport
import Testing

@testable import KithClient

/// 100,000 targets are 3,334 calls; the server allows 3,000 in five minutes. Every call takes 15 to 45 ms,
/// eight are in flight at once, and time is simulated.
@Suite struct RateLimitedBatchTests {
  private static let calls = 3_334

  private struct Event {
    enum Kind {
      /// The call arrives at the server.
      case arrives(HostLimiterState.Permit)
      /// Its response is back.
      case returns(HostLimiterState.Permit, TransportResponse)
    }
    let at: Duration
    let client: Int
    let kind: Kind
  }

  private struct Client {
    var traffic = HostLimiterState()
    var open: Int
    var good = 0
    var tickets: HostLimiterState.Ticket = 0
    var waiting: Set<HostLimiterState.Ticket> = []
  }

  /// Runs clients to their end.
  ///
  /// - Returns: When the last response came, and when each client saw its first refusal.
  private func run(
    _ calls: [Int], _ server: LimitedServer, seed: UInt64 = 1
  ) -> (ended: Duration, learned: Duration?, good: [Int]) {
    let epoch: Instant = 1_760_000_000_700_000
    var random = SeededGenerator(seed: seed)
    var clients = calls.map { Client(open: $0) }
    var events: [Event] = []
    var now = Duration.zero
    var learned: Duration?
    func wall(_ time: Duration) -> Instant { epoch + time }
    func pause() -> Duration { .milliseconds(7 + Int(random.next() % 16)) }
    func send(_ permit: HostLimiterState.Permit, _ client: Int) {
      events.append(Event(at: now + pause(), client: client, kind: .arrives(permit)))
    }
    func fill(_ index: Int) {
      while clients[index].open > 0, clients[index].waiting.count < 8 {
        switch clients[index].traffic.enter(patience: .seconds(600), at: now) {
        case .admit(let permit):
          clients[index].open -= 1
          send(permit, index)
        case .wait:
          clients[index].open -= 1
          clients[index].tickets += 1
          clients[index].waiting.insert(clients[index].tickets)
          clients[index].traffic.wait(clients[index].tickets, patience: .seconds(600), at: now)
        case .refused:
          Issue.record("the call was refused")
          return
        }
      }
    }
    func take(_ actions: [HostLimiterState.Action], _ index: Int) {
      for case .admit(let ticket, let permit) in actions {
        clients[index].waiting.remove(ticket)
        send(permit, index)
      }
      fill(index)
    }
    for index in clients.indices { fill(index) }
    while true {
      let event = events.indices.min { events[$0].at < events[$1].at }
      let timers = clients.indices.compactMap { index in
        clients[index].traffic.wakeUp(at: now).map { (at: max(now, $0), index: index) }
      }
      let timer = timers.min { $0.at < $1.at }
      if let timer, event.map({ timer.at < events[$0].at }) ?? true {
        now = timer.at
        take(clients[timer.index].traffic.pump(at: now), timer.index)
        continue
      }
      guard let event else { break }
      let due = events.remove(at: event)
      now = due.at
      switch due.kind {
      case .arrives(let permit):
        let answer = server.answer(at: now, wall: wall(now))
        events.append(Event(at: now + pause(), client: due.client, kind: .returns(permit, answer)))
      case .returns(let permit, let answer):
        if answer.head.status.code == 429 {
          learned = learned ?? now
          clients[due.client].open += 1
        } else {
          clients[due.client].good += 1
        }
        let outcome = HostLimiterState.Outcome(.success(answer), at: wall(now))
        take(clients[due.client].traffic.ended(permit, outcome, at: now), due.client)
      }
    }
    return (now, learned, clients.map(\.good))
  }

  @Test(arguments: CaseSample.of(1...5 as ClosedRange<UInt64>, one: 5))
  func seesNoRefusalWhenTheServerSaysWhatIsLeft(seed: UInt64) {
    let server = LimitedServer(limit: 3_000, window: .seconds(300), words: .everything)
    let (ended, _, good) = run([Self.calls], server, seed: seed)
    #expect(server.refusals.isEmpty)
    #expect(good == [Self.calls])
    // One window plus the rest of the calls: waiting costs nothing.
    #expect(ended < .seconds(304))
  }

  @Test(arguments: CaseSample.of(1...5 as ClosedRange<UInt64>, one: 5))
  func seesNoRefusalThoughAnotherSharesTheAllowance(seed: UInt64) {
    let server = LimitedServer(limit: 3_000, window: .seconds(300), words: .everything)
    let (ended, _, good) = run([Self.calls, Self.calls], server, seed: seed)
    #expect(server.refusals.isEmpty)
    #expect(good == [Self.calls, Self.calls])
    #expect(ended < .seconds(608))
  }

  /// The first refusal cannot be predicted, and affects all calls in flight; there are none after it.
  @Test(arguments: CaseSample.of(1...5 as ClosedRange<UInt64>, one: 5))
  func seesNoSecondRefusalWhenTheServerOnlySaysWhenToComeBack(seed: UInt64) throws {
    let server = LimitedServer(limit: 3_000, window: .seconds(300), words: .onlyRetryAfter)
    let (ended, learned, good) = run([Self.calls], server, seed: seed)
    let first = try #require(learned)
    #expect(server.refusals.count <= 8)
    // Those that arrived later were sent before.
    #expect(server.refusals.allSatisfy { $0 < first + .milliseconds(45) })
    #expect(good == [Self.calls])
    #expect(ended < .seconds(304))
  }

  @Test func goesAtFullSpeedWhileThereIsPlenty() {
    let server = LimitedServer(limit: 3_000, window: .seconds(300), words: .everything)
    let (ended, _, _) = run([100], server)
    #expect(ended < .milliseconds(100 / 8 * 46 + 46))
  }
}
