// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// Has SIGINT end the run in order: the first one cancels it, so that what is known is still printed; the
/// second ends the process where it stands.
struct Interruption {
  private let source: (any DispatchSourceSignal)?

  /// Watches until ``end()``.
  init(cancel: @escaping @Sendable () -> Void) {
    let before = signal(SIGINT, SIG_IGN)
    // A shell starts background jobs of its scripts with SIGINT ignored: it is not meant for them.
    guard unsafeBitCast(before, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) else {
      source = nil
      return
    }
    let source = DispatchSource.makeSignalSource(
      signal: SIGINT, queue: DispatchQueue(label: "kith.interruption"))
    var wasInterrupted = false
    source.setEventHandler {
      if wasInterrupted { _exit(ExitStatus.interrupted.rawValue) }
      wasInterrupted = true
      cancel()
    }
    source.activate()
    self.source = source
  }

  func end() { source?.cancel() }
}
