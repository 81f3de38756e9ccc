// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithCrypto

/// What identifies the content of a plan: plans with the same digest make the same changes of the same account.
///
/// It is the SHA-256 of the account and of each change: its action, its collection and its subject, and of posts,
/// profiles and other records also the content that is written. Keys that are chosen for new records, dates and the order
/// do not matter, so that a plan that is made again has the same digest.
public struct PlanDigest: Sendable, Hashable {
  /// The hash, in 64 hexadecimal digits.
  public let description: String

  init(of lines: [PlanLine], by account: DID) {
    let text = ([account.description] + lines.map(\.text).sorted()).joined(separator: "\n")
    description = SHA256.digits(of: Array(text.utf8))
  }
}

extension PlanDigest: LosslessStringConvertible {
  /// Parses 64 hexadecimal digits in lower case; nil for another text.
  public init?(_ description: String) {
    guard description.utf8.count == 64, description.utf8.allSatisfy({ "0123456789abcdef".utf8.contains($0) })
    else { return nil }
    self.description = description
  }
}

extension PlanDigest: Codable {
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    guard let digest = PlanDigest(try container.decode(String.self)) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "a digest has 64 hexadecimal digits")
    }
    self = digest
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

/// How a plan differs from the one that was shown before.
public struct PlanDifference: Sendable, Hashable {
  /// The number of changes that were not shown.
  public let came: Int
  /// The number of changes that were shown and are not to be made any more.
  public let went: Int
  /// The subjects of the first changes of each.
  public let subjectsThatCame, subjectsThatWent: [String]

  /// The most subjects that are named.
  static let mostNamed = 3

  init(from shown: [PlanLine], to planned: [PlanLine]) {
    var balance: [PlanLine: Int] = [:]
    for line in planned { balance[line, default: 0] += 1 }
    for line in shown { balance[line, default: 0] -= 1 }
    func subjects(_ isWanted: (Int) -> Bool) -> [String] {
      let names = Set(balance.filter { isWanted($0.value) }.keys.map(\.subject))
      return Array(names.sorted().prefix(Self.mostNamed))
    }
    came = balance.values.reduce(0) { $0 + max(0, $1) }
    went = balance.values.reduce(0) { $0 - min(0, $1) }
    (subjectsThatCame, subjectsThatWent) = (subjects { $0 > 0 }, subjects { $0 < 0 })
  }
}

extension PlanDifference: CustomStringConvertible {
  public var description: String {
    let parts = [(came, "new", subjectsThatCame), (went, "gone", subjectsThatWent)].filter { $0.0 > 0 }
    return parts.map { count, word, subjects in
      let more = subjects.count == Self.mostNamed && count > subjects.count ? ", and others" : ""
      return "\(count) \(word) (\(subjects.joined(separator: ", "))\(more))"
    }.joined(separator: ", ")
  }
}

/// One change of a plan, without what differs whenever it is planned again: the keys of new records, and dates.
package struct PlanLine: Sendable, Hashable {
  /// Such as `create`, `delete` or `mute`.
  package let action: String
  /// The collection of the record; empty for what is not in the repository.
  package let collection: String
  /// The account, list or post that it is about, or what names something new.
  package let subject: String
  /// What is written besides that, as JSON; empty for nothing.
  package let content: String

  init(_ action: String, _ collection: NSID? = nil, of subject: String, saying content: String = "") {
    self.action = action
    self.collection = collection?.description ?? ""
    self.subject = subject
    self.content = content
  }

  /// The line as it is hashed: a JSON array of its four parts.
  package var text: String { Self.json([action, collection, subject, content]) }

  /// The JSON of a value, always the same for the same one.
  static func json(_ value: some Encodable) -> String {
    (try? JSONCoding.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "\(value)"
  }

  /// Reads a line as ``text`` writes it; nil for anything else.
  package init?(text: String) {
    guard let parts = try? JSONCoding.decode([String].self, from: Array(text.utf8)), parts.count == 4 else {
      return nil
    }
    (action, collection, subject, content) = (parts[0], parts[1], parts[2], parts[3])
  }
}
