// SPDX-License-Identifier: Apache-2.0

/// Stands in for the command's type of this name, as far as readers use it.
struct CommandFault: Error, Equatable {
  enum Status { case badInput }

  let status: Status
  let message: String

  init(_ status: Status, _ message: String) {
    self.status = status
    self.message = message
  }
}
