// SPDX-License-Identifier: Apache-2.0

/// The number of a job in its store, as it is typed: `7`. Never used again for another job.
public struct JobID: Sendable, Hashable {
  /// The number, from 1 on.
  public let number: Int64

  /// Names the job of that number.
  public init(number: Int64) { self.number = number }
}

extension JobID: LosslessStringConvertible {
  /// Reads a number from 1 on, or nil where the text is none.
  public init?(_ description: String) {
    guard let number = Int64(description), number > 0, description == "\(number)" else { return nil }
    self.number = number
  }

  public var description: String { "\(number)" }
}

extension JobID: Comparable {
  public static func < (one: JobID, other: JobID) -> Bool { one.number < other.number }
}
