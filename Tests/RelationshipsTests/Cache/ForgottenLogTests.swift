// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import Relationships

@Suite struct ForgottenLogTests {
  @Test func knowsWhatWasForgottenSince() {
    var log = ForgottenLog<String>()
    log.forget("a")
    let asked = log.generation
    log.forget("b")
    #expect(log.hasForgotten("b", since: asked))
    #expect(!log.hasForgotten("a", since: asked))
    #expect(!log.hasForgotten("b", since: log.generation))
  }

  @Test func allIsForgottenAtOnce() {
    var log = ForgottenLog<String>()
    let asked = log.generation
    log.forgetAll()
    #expect(log.hasForgotten("a", since: asked))
    #expect(!log.hasForgotten("a", since: log.generation))
  }

  /// It may say "forgotten" too often, of questions older than its memory, never too seldom.
  @Test func neverMissesOne() {
    var random = SeededGenerator(seed: 3)
    var log = ForgottenLog<Int>(capacity: 8)
    var history: [Int?] = []
    for _ in 0..<3_000 {
      let name = Int.random(in: 0..<12, using: &random)
      if Int.random(in: 0..<40, using: &random) == 0 {
        log.forgetAll()
        history.append(nil)
      } else {
        log.forget(name)
        history.append(name)
      }
      #expect(log.generation == history.count)
      let asked = Int.random(in: max(0, history.count - 12)...history.count, using: &random)
      for name in 0..<12 {
        let expected = history[asked...].contains { $0 == nil || $0 == name }
        let isWithinMemory = history.count - asked <= 8
        let said = log.hasForgotten(name, since: asked)
        if isWithinMemory { #expect(said == expected) } else { #expect(said || !expected) }
      }
    }
  }
}
