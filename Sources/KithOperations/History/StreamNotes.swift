// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory

/// Says what happens to a stream that an operation follows, and how far it was read.
final class StreamNotes: Sendable {
  private struct State {
    var progress = LiveProgress()
    var gaps = 0
  }

  private let note: @Sendable (Note) -> Void
  private let progress: (@Sendable (RunProgress) -> Void)?
  private let notesConnections: Bool
  private let state = PosixMutex(State())

  /// - Parameter notesConnections: whether connections are noted, with how the history is read by them.
  init(_ report: Reporter<some Sendable>, notingConnections notesConnections: Bool = true) {
    (note, progress, self.notesConnections) = (report.note, report.progress, notesConnections)
  }

  /// How often events were missed.
  var gaps: Int { state.withLock { $0.gaps } }

  /// Notes what happens to the stream, and shows how far it was read.
  func take(_ event: LiveEvent) {
    switch event {
    case .began, .reading, .changed, .blocked, .renamed, .friends: return
    case .connected(let connection):
      show { ($0.host, $0.isBroken) = (connection.host, false) }
      if notesConnections { note(.streamConnected(connection)) }
    case .disconnected(let error, let wait):
      // An outage is told once.
      let isKnown = state.withLock { $0.progress.isBroken }
      show { $0.isBroken = true }
      if !isKnown { note(.streamBroken(error, retryIn: wait)) }
    case .gap(let gap):
      state.withLock { $0.gaps += 1 }
      note(.streamGap(gap))
    case .read(let outcome): outcome.report(note)
    case .observed(let cursor, let count):
      show { progress in
        progress.place = cursor.at
        progress.read += count
      }
    }
  }

  private func show(_ change: (inout LiveProgress) -> Void) {
    let now = state.withLock { state in
      change(&state.progress)
      return state.progress
    }
    progress?(.following(now))
  }
}
