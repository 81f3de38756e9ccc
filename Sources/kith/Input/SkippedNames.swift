// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

/// The names that `--skip-invalid` leaves out: reports each on stderr, and their number at the end.
final class SkippedNames: Sendable {
  /// The most names that are reported individually; further ones are only counted.
  static let mostNamed = 100

  private let count = PosixMutex(0)
  private let say: @Sendable (Message) -> Void

  init(say: @escaping @Sendable (Message) -> Void = { StandardError.say($0) }) { self.say = say }

  /// Counts and reports a name with a complaint.
  func skip(_ complaint: Message) {
    let number = count.withLock { count in
      count += 1
      return count
    }
    if number <= Self.mostNamed { say(complaint.asWarning) }
  }

  /// Reports how many there were, if any.
  func finish() {
    let count = count.withLock(\.self)
    if count > 0 { say(.namesSkipped(count)) }
  }
}
