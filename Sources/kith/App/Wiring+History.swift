// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithOperations

extension Wiring {
  /// Warns if others on the network can change what a run is about to record: documents say whether a lost
  /// account still exists, and at which server.
  func warnOfPlainDirectory() {
    if !workspace.services.plc.keepsSecrets { StandardError.say(.plainDirectory(workspace.services.plc)) }
  }
}
