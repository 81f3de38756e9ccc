// SPDX-License-Identifier: Apache-2.0

import KithCore

/// The value of an option with its place among others of the command line, where one option refers to another before it.
///
/// ArgumentParser does not say in which order options were given, but it transforms their values from left to right.
struct PlacedValue: Sendable, Hashable {
  let text: String
  let place: Int

  private static let places = PosixMutex(0)

  /// The next value that is read.
  init(read text: String) {
    self.text = text
    place = Self.places.withLock { last in
      last += 1
      return last
    }
  }
}
