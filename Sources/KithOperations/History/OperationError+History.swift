// SPDX-License-Identifier: Apache-2.0

import KithCore

extension OperationError {
  package static func mutesOfOthers(_ actor: some CustomStringConvertible) -> OperationError {
    OperationError(
      .mutesOfOthers, .notAllowed, "\(actor)", "mutes are private; only your own are available",
      ["did": .text(actor)])
  }
}
