// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KithClient

@Suite struct SharedWorkTests {
  private let turnstile = Turnstile(isOpen: false)

  private func work() -> SharedWork<Int> { SharedWork { [turnstile] in try await turnstile.pass { 7 } } }

  @Test func answersAllWithOneOutcome() async throws {
    let work = work()
    let askers = (0..<50).map { _ in
      #expect(work.join())
      return Task { try await work.value() }
    }
    turnstile.open()
    for asker in askers { #expect(try await asker.value == 7) }
    #expect(turnstile.arrivals == 1)
  }

  @Test func answersTheLastWhenAllOthersAreCancelled() async throws {
    let work = work()
    let askers = (0..<50).map { _ in
      #expect(work.join())
      return Task { try await work.value() }
    }
    for asker in askers.dropLast() { asker.cancel() }
    for asker in askers.dropLast() { await #expect(throws: CancellationError.self) { try await asker.value } }
    turnstile.open()
    #expect(try await askers.last?.value == 7)
  }

  @Test func stopsWithoutWaiters() async throws {
    let work = work()
    #expect(work.join() && work.join())
    let asker = Task { try await work.value() }
    await turnstile.untilArrived(1)
    work.leave()
    #expect(turnstile.inside == 1)
    asker.cancel()
    await #expect(throws: CancellationError.self) { try await asker.value }
    #expect(!work.join())
  }

  @Test func rejectsCallersOnceItHasEnded() async throws {
    let work = work()
    #expect(work.join())
    turnstile.open()
    #expect(try await work.value() == 7)
    #expect(!work.join())
  }
}
