// SPDX-License-Identifier: Apache-2.0

/// What the program calls itself.
enum Program {
  static let name = "kith"
  static let version = "0.1.0"
}
