// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KithClient
import KithCore

/// Ends a run in an orderly way at SIGINT, SIGTERM, SIGHUP or its deadline: the run is cancelled, results so
/// far are printed, the terminal is restored, and temporary folders are removed.
///
/// A second SIGINT or SIGTERM ends the process immediately, and so does a minute without an end: a run that
/// computes may not notice that it is cancelled. A second SIGHUP does not, because both the kernel and the
/// shell send it when a terminal closes.
final class Interruption: Sendable {
  /// What ended the run.
  enum Cause: Sendable, Hashable {
    case signal(Int32)
    case deadline(Duration)

    /// 128 plus the signal number; 75 (try later) for the deadline.
    var status: ExitStatus {
      switch self {
      case .signal(SIGTERM): .terminated
      case .signal(SIGHUP): .hungUp
      case .signal: .interrupted
      case .deadline: .tryLater
      }
    }
  }

  private static let signals = [SIGINT, SIGTERM, SIGHUP]

  private let cancel: @Sendable () -> Void
  private let leave: @Sendable (ExitStatus) -> Void
  private let grace: DispatchTimeInterval
  private let first = PosixMutex<Cause?>(nil)

  /// - Parameters:
  ///   - cancel: called once.
  ///   - leave: ends the process at once.
  ///   - grace: how long a cancelled run may take to end. An exchange of tokens takes less, and must not be cut
  ///     off.
  init(
    cancel: @escaping @Sendable () -> Void,
    leave: @escaping @Sendable (ExitStatus) -> Void = { _exit($0.rawValue) },
    grace: DispatchTimeInterval = .seconds(60)
  ) {
    self.cancel = cancel
    self.leave = leave
    self.grace = grace
  }

  /// What ended the run; nil if it was not interrupted.
  var cause: Cause? { first.withLock { $0 } }

  /// Starts watching for signals. Signals that were ignored at start, for example by `nohup` or by a shell
  /// for background jobs of scripts, stay ignored.
  ///
  /// - Returns: the signal sources; keep them alive.
  func watch() -> [any DispatchSourceSignal] {
    let queue = DispatchQueue(label: "kith.interruption")
    let registrations = DispatchGroup()
    defer { registrations.wait() }
    return Self.signals.compactMap { number in
      // Dispatch installs its own handler. Until then a signal ends the process, which has done nothing yet;
      // if it were ignored here, it would be lost.
      var before = sigaction()
      sigaction(number, nil, &before)
      let handler = unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self)
      guard handler != unsafeBitCast(SIG_IGN, to: Int.self) else { return nil }
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler { self.interrupt(.signal(number)) }
      registrations.enter()
      source.setRegistrationHandler { registrations.leave() }
      source.activate()
      return source
    }
  }

  /// Ends the run after a time span.
  ///
  /// - Returns: the waiting task.
  @discardableResult
  func limit(to span: Duration, time: TimeSource = .system) -> Task<Void, any Error> {
    Task {
      try await time.sleep(for: span)
      interrupt(.deadline(span))
    }
  }

  /// Cancels the run at the first cause, and ends the process at a repeated signal.
  func interrupt(_ cause: Cause) {
    let former = first.withLock { first in
      defer { first = first ?? cause }
      return first
    }
    guard let former else {
      // Not a task: busy tasks may leave no thread for it.
      DispatchQueue.global().asyncAfter(deadline: .now() + grace) { self.leave(cause.status) }
      return cancel()
    }
    if former == cause, cause != .signal(SIGHUP) { leave(cause.status) }
  }
}
