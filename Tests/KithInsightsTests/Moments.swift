// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithInsights

/// A time from `2026-01-05` or `2026-01-05T10:00`, in microseconds since 1970.
func at(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> Instant {
  let time = text.contains("T") ? "\(text):00Z" : "\(text)T00:00:00Z"
  return try #require(Datetime(time), sourceLocation: sourceLocation).instant
}

/// A generator with the same numbers in each run.
struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// SplitMix64.
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// An account by number.
func account(_ number: Int, sourceLocation: SourceLocation = #_sourceLocation) throws -> DID {
  let digits = Array("abcdefghijklmnopqrstuvwxyz234567")
  var (rest, text) = (number, "")
  for _ in 0..<24 {
    text = String(digits[rest % 32]) + text
    rest /= 32
  }
  return try #require(DID("did:plc:\(text)"), sourceLocation: sourceLocation)
}
