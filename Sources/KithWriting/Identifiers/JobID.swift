// SPDX-License-Identifier: Apache-2.0

/// The number of a job in its store, as it is typed: `7`. Never reused.
public struct JobID: Sendable, Hashable {
  /// The number, starting at 1.
  public let number: Int64

  /// Creates the ID of the job with this number.
  public init(number: Int64) { self.number = number }
}

extension JobID: LosslessStringConvertible {
  /// Parses a number of 1 or more; nil if the text is not one.
  public init?(_ description: String) {
    guard let number = Int64(description), number > 0, description == "\(number)" else { return nil }
    self.number = number
  }

  public var description: String { "\(number)" }
}

extension JobID: Comparable {
  public static func < (one: JobID, other: JobID) -> Bool { one.number < other.number }
}

/// A plain number.
extension JobID: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    number = try container.decode(Int64.self)
    guard number > 0 else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "the number of a job is at least 1")
    }
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(number)
  }
}
