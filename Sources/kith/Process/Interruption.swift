// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import Dispatch
import Glibc

/// Ends a run in order at SIGINT, SIGTERM, SIGHUP or its deadline: it is cancelled, so that what is known is still
/// printed, the terminal is restored and temporary folders are removed.
///
/// SIGINT or SIGTERM for the second time ends the process where it stands. SIGHUP does not: both the kernel and the
/// shell send it when a terminal closes.
final class Interruption: Sendable {
  /// What ended the run.
  enum Cause: Sendable, Hashable {
    case signal(Int32)
    case deadline(Duration)

    /// 128 and the signal's number; for the deadline "try later".
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
  private let first = PosixMutex<Cause?>(nil)

  /// - Parameters:
  ///   - cancel: called once.
  ///   - leave: ends the process at once.
  init(
    cancel: @escaping @Sendable () -> Void,
    leave: @escaping @Sendable (ExitStatus) -> Void = { _exit($0.rawValue) }
  ) {
    self.cancel = cancel
    self.leave = leave
  }

  /// What has ended the run; nil where it came to its own end.
  var cause: Cause? { first.withLock { $0 } }

  /// Watches for signals from when this returns; those that were ignored at the start, as `nohup` does and a shell
  /// for the background jobs of its scripts, stay ignored.
  ///
  /// - Returns: what watches; it has to be kept.
  func watch() -> [any DispatchSourceSignal] {
    let queue = DispatchQueue(label: "kith.interruption")
    let registrations = DispatchGroup()
    defer { registrations.wait() }
    return Self.signals.compactMap { number in
      // Dispatch puts its own handler in place. Until then a signal ends the process, which has done nothing yet;
      // ignored here, it would be lost.
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

  /// Ends the run when a time has passed.
  ///
  /// - Returns: what waits for it.
  @discardableResult
  func limit(to span: Duration, time: TimeSource = .system) -> Task<Void, any Error> {
    Task {
      try await time.sleep(for: span)
      interrupt(.deadline(span))
    }
  }

  /// Cancels the run for the first cause, and leaves where a person insists.
  func interrupt(_ cause: Cause) {
    let former = first.withLock { first in
      defer { first = first ?? cause }
      return first
    }
    guard let former else { return cancel() }
    if former == cause, cause != .signal(SIGHUP) { leave(cause.status) }
  }
}
