// SPDX-License-Identifier: Apache-2.0

import KithCore
package import KithSandbox

extension SandboxNetwork {
  private static let made = PosixMutex<[Int: SandboxNetwork]>([:])

  /// Returns the network of the first seed with this many accounts, which tests share: nothing changes it.
  package static func shared(accounts: Int) -> SandboxNetwork {
    made.withLock { made in
      if let network = made[accounts] { return network }
      let network = SandboxNetwork(configuration: .init(accounts: accounts))
      made[accounts] = network
      return network
    }
  }
}
