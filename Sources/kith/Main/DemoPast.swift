// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithClient
import KithCore
import KithSandbox

/// Simulates two years of snapshots of alice.test in a few seconds: the clock of a sandbox is set back and
/// then advanced day by day.
struct DemoPast {
  /// The length in days.
  static let days = 730
  /// The number of days at the end with daily snapshots; before that, one every two weeks.
  private static let daily = 60

  private let sandbox: Sandbox
  private let clock: Clock

  /// A clock that is behind the present.
  private final class Clock: Sendable {
    private let lag = PosixMutex(Duration.days(DemoPast.days))

    var now: Instant { TimeSource.system.instant - lag.withLock { $0 } }

    func passDay() { lag.withLock { $0 -= .days(1) } }
  }

  init(seed: UInt64) {
    let clock = Clock()
    self.clock = clock
    sandbox = Sandbox(
      network: SandboxNetwork(configuration: .init(accounts: 5_000, seed: seed)),
      configuration: .init(days: Self.days, pace: .growth, wall: { clock.now }))
  }

  func start() async throws -> Sandbox.Endpoints { try await sandbox.start() }

  func stop() async { await sandbox.stop() }

  /// Lets the two years pass and runs `kith snapshot` regularly.
  ///
  /// - Parameter environment: the environment of those runs.
  /// - Throws: ``CommandFault`` if a run fails; `CancellationError`.
  func live(in environment: [String: String], _ process: RunContext) async throws {
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nothing >= 0 else {
      throw CommandFault(.internalError, .systemError("/dev/null", String(cString: strerror(errno))))
    }
    defer { close(nothing) }
    var process = process
    (process.environment, process.output) = (environment, nothing)
    process.time = TimeSource(ContinuousClock()) { [clock] in clock.now }
    let line = [
      "snapshot", "alice.test", "--side", "followers", "--side", "follows", "--side", "blocks", "--dates",
      "-q",
    ]
    for day in 0...Self.days {
      if day > 0 {
        clock.passDay()
        sandbox.passDay()
      }
      guard day % 14 == 0 || day > Self.days - Self.daily else { continue }
      let status = await Kith.run(line, in: process)
      try Task.checkCancellation()
      if status != .success {
        throw CommandFault(
          .internalError, .demoFailed("kith \(line.joined(separator: " "))", status: status.rawValue))
      }
    }
  }
}
