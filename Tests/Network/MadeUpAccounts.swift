// SPDX-License-Identifier: Apache-2.0

import TestSupport

/// Unregistered DIDs, which a PDS accepts as subjects of records.
enum MadeUpAccounts {
  /// This many different ones, the same for the same seed.
  static func dids(_ count: Int, seed: UInt64) -> [String] {
    var generator = SeededGenerator(seed: seed)
    let digits = Array("abcdefghijklmnopqrstuvwxyz234567")
    return (0..<count).map { _ in
      "did:plc:" + String((0..<24).map { _ in digits[Int.random(in: 0..<32, using: &generator)] })
    }
  }
}
