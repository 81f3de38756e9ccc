// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import TestSupport
import Testing

@testable import kith

/// Typing a name on a terminal: keys, answers that come late, and what is drawn.
@Suite struct TypeAheadTests {
  private let matches = (1...3).map { AccountView(Accounts.did($0), handle: Accounts.handle($0)) }

  private func typed(_ keys: [UInt8]...) -> TypeAhead {
    var state = TypeAhead()
    for key in keys { _ = state.receive(key) }
    return state
  }

  @Test func keysChangeTheText() {
    #expect(typed(Array("ab".utf8), [0x7F], Array("c".utf8)).text == "ac")
    #expect(typed(Array("ab".utf8), [0x15]).text == "")
    #expect(typed([0x7F]).text == "")
    // A character that arrives in pieces.
    #expect(typed([0xC3], [0xA9]).text == "é")
    #expect(typed([0xFF, 0xFF, 0xFF, 0xFF], Array("x".utf8)).text == "x")
    #expect(typed(Array(repeating: UInt8(ascii: "a"), count: 500)).text.count == 64)
  }

  @Test func sequencesForOtherKeysAreNoText() {
    #expect(typed([0x1B, 0x5B, 0x43], [0x1B, 0x5B, 0x33, 0x7E], [0x01]).text == "")
  }

  @Test func arrowsMoveAndEnterChooses() {
    var state = TypeAhead("u")
    #expect(state.receive([0x0D]) == .none)
    state.show(matches, for: "u")
    #expect(state.receive([0x1B, 0x5B, 0x42]) == .none && state.selected == 1)
    #expect(state.receive([0x1B, 0x5B, 0x41]) == .none && state.receive([0x1B, 0x5B, 0x41]) == .none)
    #expect(state.selected == 2)
    #expect(state.receive([0x0D]) == .chosen(matches[2]))
    #expect(state.receive([0x1B]) == .ended && state.receive([0x04]) == .ended)
  }

  @Test func anAnswerForAnEarlierTextIsOutOfDate() {
    var state = TypeAhead("u")
    state.show(matches, for: "us")
    #expect(state.matches.isEmpty)
    state.show(matches, for: "u")
    #expect(state.receive(Array("s".utf8)) == .changed)
    state.show("no connection", for: "u")
    #expect(state.matches.count == 3)
    state.show("no connection", for: "us")
    #expect(state.matches.isEmpty && state.screen(columns: 80).contains("no connection"))
  }

  /// Names are a stranger's.
  @Test func whatIsDrawnDoesNotControlTheTerminal() {
    var state = TypeAhead("m")
    state.show(
      [AccountView(Accounts.did(1), handle: Accounts.handle(1), displayName: "\u{1B}]0;owned\u{7}x\ny")],
      for: "m")
    let screen = state.screen(columns: 40)
    #expect(!screen.contains("\u{1B}]") && !screen.contains("\u{7}"))
    #expect(screen.split(separator: "\r\n").count == 2)
    #expect(screen.hasPrefix(TypeAhead.erasure))
    for line in TypeAhead(String(repeating: "界", count: 60)).screen(columns: 20).split(separator: "\r\n") {
      #expect(line.count <= 40)
    }
  }
}
