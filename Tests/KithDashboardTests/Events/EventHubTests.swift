// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import TestSupport
import Testing

@testable import KithDashboard

@Suite(.timeLimit(.minutes(1))) struct EventHubTests {
  private struct Gone: Error {}

  private let clock = ManualClock()
  private let hub: EventHub

  init() { hub = EventHub(run: "run", time: clock.timeSource()) }

  /// A page that is connected, and what it was sent.
  private func page(after last: String? = nil) -> (task: Task<Void, Never>, text: Watched<String>) {
    let text = Watched("")
    let task = Task { [hub] in
      do {
        try await hub.stream(after: last) { bytes in
          text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
        }
      } catch {}
    }
    return (task, text)
  }

  private func event(_ number: Int) -> DashboardEvent {
    DashboardEvent(.progress, [OutputField("number", .integer(number))])
  }

  @Test func aPageGetsWhatComesAfterItHasConnected() async throws {
    hub.publish(event(1))
    let (task, text) = page()
    await text.until { $0.contains(":\n\n") }
    hub.publish(event(2))
    await text.until { $0.contains("data: {\"number\":2}\n\n") }
    #expect(
      text.withLock(\.self) == "retry: 2000\n\n:\n\nid: run-2\nevent: progress\ndata: {\"number\":2}\n\n")
    task.cancel()
    await task.value
    #expect(hub.readers == 0)
  }

  @Test func aPageThatConnectsAgainGetsWhatItHasMissed() async throws {
    for number in 1...5 { hub.publish(event(number)) }
    let (task, text) = page(after: "run-3")
    await text.until { $0.contains("id: run-5") }
    let ids = text.withLock { $0.split(separator: "\n").filter { $0.hasPrefix("id:") } }
    #expect(ids == ["id: run-4", "id: run-5"])
    task.cancel()
  }

  @Test(arguments: ["other-3", "run-9", "run", "", "run-x", "run-0"])
  func aPageThatHasMissedTooMuchIsToldSo(last: String) async throws {
    for number in 1...(EventHub.mostKept + 5) { hub.publish(event(number)) }
    let (task, text) = page(after: last == "run-9" ? "run-99999" : last)
    await text.until { $0.contains("event: reset") }
    hub.publish(event(0))
    await text.until { $0.contains("{\"number\":0}") }
    #expect(text.withLock { $0.ranges(of: "event: ").count } == 2)
    task.cancel()
  }

  @Test func aReaderThatIsTooSlowIsToldSoAndGoesOn() async throws {
    let (text, isHeld) = (Watched(""), Watched(true))
    let task = Task { [hub] in
      do {
        try await hub.stream(after: nil) { bytes in
          text.withLock { $0 += String(decoding: bytes, as: UTF8.self) }
          if text.withLock({ $0.contains(":\n\n") }) { await isHeld.until { !$0 } }
        }
      } catch {}
    }
    await text.until { $0.contains(":\n\n") }
    for number in 1...(EventHub.mostKept * 2) { hub.publish(event(number)) }
    isHeld.withLock { $0 = false }
    let last = "id: run-\(EventHub.mostKept * 2)\nevent: reset\n"
    await text.until { $0.contains(last) }
    hub.publish(event(-1))
    await text.until { $0.contains("{\"number\":-1}") }
    #expect(text.withLock { $0.ranges(of: "event: ").count } == 2)
    task.cancel()
  }

  @Test func somethingIsSentNowAndThenSoThatAPageThatHasGoneIsNoticed() async throws {
    let isGone = Watched(false)
    let task = Task { [hub] in
      try await hub.stream(after: nil) { _ in if isGone.withLock(\.self) { throw Gone() } }
    }
    await clock.untilAsleep(1)
    isGone.withLock { $0 = true }
    clock.advance(by: .seconds(15))
    await #expect(throws: Gone.self) { try await task.value }
    #expect(hub.readers == 0)
  }

  @Test func namesOfStrangersDoNotBreakALine() {
    let event = DashboardEvent(.jobs, [OutputField("name", .string("a\nevent: reset\r\n\ndata: x\u{2028}"))])
    #expect(!event.data.contains("\n") && !event.data.contains("\r"))
  }
}
