// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// Q11.
@Suite struct PaginationGuardTests {
  private func page(of count: Int, from start: Int = 0) -> [DID] { Accounts.dids(start..<(start + count)) }

  @Test func continuesWhileThereIsACursor() {
    var trail = PaginationGuard()
    let steps = [(100, "a"), (3, "b"), (0, "c"), (100, nil)].map {
      trail.received(page(of: $0.0), cursor: $0.1)
    }
    #expect(steps == [.next("a"), .next("b"), .next("c"), .end])
  }

  @Test func endsAtAnEmptyCursor() {
    var trail = PaginationGuard()
    #expect(trail.received(page(of: 5), cursor: "") == .end)
  }

  @Test func rejectsARepeatedCursor() {
    var trail = PaginationGuard()
    let steps = ["a", "b", "a"].map { trail.received(page(of: 1), cursor: $0) }
    #expect(steps.prefix(2) == [.next("a"), .next("b")])
    #expect(steps[2] == .fault(.repeatedCursor("a")))
  }

  @Test func rejectsTooManyEmptyPages() {
    var trail = PaginationGuard()
    for page in 1..<PaginationGuard.mostEmptyPages {
      #expect(trail.received([DID](), cursor: "\(page)") == .next("\(page)"))
    }
    #expect(
      trail.received([DID](), cursor: "last") == .fault(.emptyPages(PaginationGuard.mostEmptyPages)))
  }

  @Test func aFullPageResetsTheCountOfEmptyPages() {
    var trail = PaginationGuard()
    for page in 0..<(3 * PaginationGuard.mostEmptyPages) {
      let accounts = page.isMultiple(of: 90) ? self.page(of: 1, from: page) : []
      let step = trail.received(accounts, cursor: "\(page)")
      #expect(step == .next("\(page)"))
    }
  }

  @Test func rejectsRepeatedPages() {
    var trail = PaginationGuard()
    // Two alternating pages, each followed by an empty one, always with new cursors.
    var steps: [PaginationGuard.Step] = []
    for number in 0... {
      let accounts = number.isMultiple(of: 2) ? page(of: 3, from: number % 4) : []
      steps.append(trail.received(accounts, cursor: "\(number)"))
      if steps.last != .next("\(number)") { break }
    }
    #expect(steps.last == .fault(.repeatedPages(10)))
    #expect(steps.count == 2 * (2 + PaginationGuard.mostRepeatedPages) - 1)
  }

  @Test func acceptsAPageThatComesTwice() {
    var trail = PaginationGuard()
    for number in 0..<100 {
      let step = trail.received(page(of: 2, from: number / 2), cursor: "\(number)")
      #expect(step == .next("\(number)"))
    }
  }

  @Test func rejectsALongCursor() {
    var trail = PaginationGuard()
    let cursor = String(repeating: "x", count: 100_000)
    #expect(trail.received(page(of: 1), cursor: cursor) == .fault(.longCursor(bytes: 100_000)))
  }

  @Test func acceptsACursorOfTheLongestLength() {
    var trail = PaginationGuard()
    let cursor = String(repeating: "x", count: 2_048)
    #expect(trail.received(page(of: 1), cursor: cursor) == .next(cursor))
    #expect(trail.received(page(of: 2), cursor: cursor + "x") == .fault(.longCursor(bytes: 2_049)))
  }

  @Test func truncatesALongCursorInItsMessage() {
    var trail = PaginationGuard()
    let cursor = String(repeating: "x", count: PaginationGuard.longestCursor)
    _ = trail.received(page(of: 1), cursor: cursor)
    guard case .fault(let reason) = trail.received(page(of: 1), cursor: cursor) else {
      Issue.record("the cursor was not rejected as repeated")
      return
    }
    #expect(reason.description.count < 300)
  }
}
