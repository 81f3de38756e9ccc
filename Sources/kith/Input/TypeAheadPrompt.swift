// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships

/// Completes the beginning of a name on the terminal, and lets the user choose an account.
struct TypeAheadPrompt {
  /// How long typing pauses before accounts are looked up.
  private static let pause = Duration.milliseconds(120)

  let terminal: TerminalPrompt
  let time: TimeSource
  /// The accounts for a text.
  let matches: @Sendable (String) async throws -> [AccountView]

  private enum Event: Sendable {
    case keys([UInt8])
    case answer(String, Result<[AccountView], any Error>)
    /// Typing went on.
    case outdated
  }

  /// - Returns: nil if no account was chosen.
  /// - Throws: ``CommandFault`` if the terminal fails; `CancellationError`.
  func choose(beginningWith text: String) async throws -> AccountView? {
    let state = PosixMutex(TypeAhead(text))
    let draw = { @Sendable [terminal] in
      terminal.draw(state.withLock { $0.screen(columns: terminal.columns) })
    }
    defer { terminal.draw(TypeAhead.erasure) }
    return try await terminal.withKeys(redraw: draw) { keys in
      draw()
      return try await withThrowingTaskGroup(of: Event.self) { group in
        defer { group.cancelAll() }
        func ask() {
          let text = state.withLock(\.text)
          group.addTask { [time, matches] in
            try await time.sleep(for: Self.pause)
            guard state.withLock(\.text) == text else { return .outdated }
            do { return .answer(text, .success(try await matches(text))) } catch {
              if error is CancellationError { throw error }
              return .answer(text, .failure(error))
            }
          }
        }
        group.addTask { .keys(try await keys()) }
        if !text.isEmpty { ask() }
        while let event = try await group.next() {
          switch event {
          case .keys(let piece):
            if piece.isEmpty { return nil }
            switch state.withLock({ $0.receive(piece) }) {
            case .chosen(let view): return view
            case .ended: return nil
            case .changed: ask()
            case .none: break
            }
            group.addTask { .keys(try await keys()) }
          case .answer(let text, .success(let found)): state.withLock { $0.show(found, for: text) }
          case .answer(let text, .failure(let error)):
            state.withLock { $0.show(Message(any: error).text, for: text) }
          case .outdated: continue
          }
          draw()
        }
        return nil
      }
    }
  }
}
