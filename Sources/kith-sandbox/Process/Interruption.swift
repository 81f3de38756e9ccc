// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc
import KithCore

/// Cancels work at SIGINT, SIGTERM or SIGHUP, so that it can clean up.
enum Interruption {
  private static let statuses: [Int32: ProgramFault.Status] = [
    SIGINT: .interrupted, SIGTERM: .terminated, SIGHUP: .hungUp,
  ]

  /// Runs work, and returns when it has ended.
  ///
  /// - Throws: what the work throws; ``ProgramFault`` without a message if a signal came.
  static func watching(_ work: @escaping @Sendable () async throws -> Void) async throws {
    let task = Task(operation: work)
    let caught = PosixMutex<ProgramFault.Status?>(nil)
    let sources = statuses.filter { !isIgnored($0.key) }.map { number, status in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        caught.withLock { $0 = $0 ?? status }
        task.cancel()
      }
      source.activate()
      return source
    }
    let result = await task.result
    withExtendedLifetime(sources) {}
    if let status = caught.withLock({ $0 }) { throw ProgramFault(status) }
    try result.get()
  }

  /// `nohup` and shells have background processes ignore a signal.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
