// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithSandbox

/// Simulates two years of snapshots of alice.test in a few seconds: the clock of a sandbox is set back and
/// then advanced day by day.
struct DemoPast {
  /// The length in days.
  static let days = 730
  /// The number of days at the end with daily snapshots; before that, one every two weeks.
  private static let daily = 60

  let sandbox: Sandbox
  private let clock: Clock

  /// A clock that is behind the present.
  private final class Clock: Sendable {
    private let lag = PosixMutex(Duration.days(DemoPast.days))

    /// How far it is ahead of the system's clock, in seconds.
    var shift: Int64 { -lag.withLock { $0 }.components.seconds }

    var now: Instant { WallClock.now + .seconds(shift) }

    func passDay() { lag.withLock { $0 -= .days(1) } }
  }

  init(seed: UInt64) {
    let clock = Clock()
    self.clock = clock
    sandbox = Sandbox(
      network: SandboxNetwork(configuration: .init(accounts: 5_000, seed: seed)),
      configuration: .init(days: Self.days, pace: .growth, wall: { clock.now }))
  }

  /// Lets the two years pass and runs `kith snapshot` regularly.
  ///
  /// - Throws: ``ProgramFault`` if a run fails; `CancellationError`.
  func live(in shell: DemoShell) async throws {
    let line = "kith snapshot alice.test --side followers --side follows --side blocks --dates -q >/dev/null"
    for day in 0...Self.days {
      if day > 0 {
        clock.passDay()
        sandbox.passDay()
      }
      guard day % 14 == 0 || day > Self.days - Self.daily else { continue }
      try await shell.run(line, environment: ["KITH_CLOCK_SHIFT": "\(clock.shift)"])
    }
  }
}
