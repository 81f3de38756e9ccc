// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Relationships

/// Q11.
@Suite struct CursorTrailTests {
  @Test func goesOnWhileThereIsACursor() {
    var trail = CursorTrail()
    let steps = [(100, "a"), (3, "b"), (0, "c"), (100, nil)].map { trail.received(items: $0.0, cursor: $0.1) }
    #expect(steps == [.next("a"), .next("b"), .next("c"), .end])
  }

  @Test func endsAtAnEmptyCursor() {
    var trail = CursorTrail()
    #expect(trail.received(items: 5, cursor: "") == .end)
  }

  @Test func abortsWhenACursorComesAgain() {
    var trail = CursorTrail()
    let steps = ["a", "b", "a"].map { trail.received(items: 1, cursor: $0) }
    #expect(steps.prefix(2) == [.next("a"), .next("b")])
    guard case .fault(let reason) = steps[2] else {
      Issue.record("\(steps[2])")
      return
    }
    #expect(reason.contains("a"))
  }

  @Test func abortsAfterTooManyEmptyPages() {
    var trail = CursorTrail()
    for page in 1..<CursorTrail.mostEmptyPages {
      #expect(trail.received(items: 0, cursor: "\(page)") == .next("\(page)"))
    }
    guard case .fault = trail.received(items: 0, cursor: "last") else {
      Issue.record("it would go on for ever")
      return
    }
  }

  @Test func startsToCountAnewAfterAFullPage() {
    var trail = CursorTrail()
    for page in 0..<(3 * CursorTrail.mostEmptyPages) {
      let step = trail.received(items: page.isMultiple(of: 900) ? 1 : 0, cursor: "\(page)")
      #expect(step == .next("\(page)"))
    }
  }

  @Test func keepsNoEndlessCursor() {
    var trail = CursorTrail()
    let cursor = String(repeating: "x", count: 100_000)
    #expect(trail.received(items: 1, cursor: cursor) == .fault("the cursor is 100000 bytes long"))
  }

  @Test func bringsNoLongCursorIntoItsWords() {
    var trail = CursorTrail()
    let cursor = String(repeating: "x", count: CursorTrail.longestCursor)
    _ = trail.received(items: 1, cursor: cursor)
    guard case .fault(let reason) = trail.received(items: 1, cursor: cursor) else {
      Issue.record("the cursor came before")
      return
    }
    #expect(reason.count < 300)
  }
}
