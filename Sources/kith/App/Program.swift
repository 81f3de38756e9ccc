// SPDX-License-Identifier: Apache-2.0

/// The name and version of the program.
enum Program {
  static let name = "kith"
  static let version = "0.1.0"
}
