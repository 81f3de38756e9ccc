// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// Numbered accounts for tests: each number always has the same DID and handle.
package enum Accounts {
  /// Returns a `did:plc` whose digits count in base 32.
  package static func did(_ number: Int) -> DID {
    let digits = Array("abcdefghijklmnopqrstuvwxyz234567")
    var rest = number
    var text = ""
    for _ in 0..<24 {
      text = String(digits[rest % 32]) + text
      rest /= 32
    }
    guard let did = DID("did:plc:\(text)") else {
      preconditionFailure("invariant: 24 digits of base 32 are a did:plc")
    }
    return did
  }

  /// The DIDs of a range of numbers.
  package static func dids(_ numbers: Range<Int>) -> [DID] { numbers.map(did) }

  /// `user7.test`.
  package static func handle(_ number: Int) -> Handle {
    guard let handle = Handle("user\(number).test") else {
      preconditionFailure("invariant: letters, digits and a top-level domain are a handle")
    }
    return handle
  }

  /// The handles of a range of numbers.
  package static func handles(_ numbers: Range<Int>) -> [Handle] { numbers.map(handle) }
}
