// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Collects a sandbox's statistics; thread-safe.
final class StatisticsRecorder: Sendable {
  private let state = PosixMutex(SandboxStatistics())

  var statistics: SandboxStatistics { state.withLock { $0 } }

  func began(_ label: String) {
    state.withLock {
      $0.calls[label, default: 0] += 1
      $0.inFlight += 1
      $0.mostInFlight = max($0.mostInFlight, $0.inFlight)
    }
  }

  /// Counts faults and refusals.
  func count(_ outcome: FaultedAnswer) {
    guard outcome.fault != nil || outcome.isRefused else { return }
    state.withLock {
      if let fault = outcome.fault { $0.faults[fault, default: 0] += 1 }
      if outcome.isRefused { $0.refused += 1 }
    }
  }

  func ended() {
    state.withLock { $0.inFlight -= 1 }
  }

  /// Resets everything except requests in flight.
  func reset() {
    state.withLock {
      $0.calls = [:]
      $0.faults = [:]
      $0.refused = 0
      $0.mostInFlight = $0.inFlight
    }
  }
}
