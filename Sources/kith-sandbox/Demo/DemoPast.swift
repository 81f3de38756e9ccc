// SPDX-License-Identifier: Apache-2.0

import KithSandbox

/// The second network of the demo: two years that are over when it is shown.
struct DemoPast {
  static let days = 730
  private static let accounts = 5_000

  let sandbox: Sandbox
  /// What snapshots of alice.test would have seen meanwhile, as `kith db load-history` reads it.
  let observations: String

  /// Lets the two years pass.
  ///
  /// - Throws: `CancellationError`.
  init(seed: UInt64) throws {
    let network = SandboxNetwork(configuration: .init(accounts: Self.accounts, seed: seed))
    let past = SandboxPast(days: Self.days, of: network)
    var lines: [String] = []
    try past.pass { seen in
      try Task.checkCancellation()
      lines += seen
    }
    sandbox = past.sandbox
    observations = lines.joined(separator: "\n") + "\n"
  }
}
