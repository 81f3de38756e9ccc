// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// One record of a listing: sound, or told to be malformed.
public enum RecordRow<Record: LexiconRecord>: Sendable, Hashable {
  /// A record that fits its lexicon.
  case record(RecordKey, Record)
  /// One that does not, or that does not belong here.
  case malformed(MalformedRecord)

  /// Its key, where it has one.
  public var rkey: RecordKey? {
    switch self {
    case .record(let rkey, _): rkey
    case .malformed(let record): record.rkey
    }
  }
}

/// A record that somebody wrote, or a server told, in a form that cannot be read.
public struct MalformedRecord: Sendable, Hashable {
  /// Its address as the server spelled it, cut after 256 bytes; empty where it spelled none.
  public let uri: String
  /// Its key; nil where the address is none within the collection that was asked for.
  public let rkey: RecordKey?
  /// What it says, where it is a value of the data model at all.
  public let value: DataValue?
  /// What is wrong with it.
  public let reason: String
}

/// The malformed records of a collection: how many there are, and the first of them.
public struct MalformedRecords: Sendable, Hashable {
  /// So many are kept: nobody reads more, and a server may have any number.
  public static let mostKept = 100

  /// The first ones, without what they say.
  public private(set) var first: [MalformedRecord] = []
  /// How many there are in all.
  public private(set) var count = 0

  /// None.
  public init() {}

  /// Takes one in.
  mutating func append(_ record: MalformedRecord) {
    count += 1
    guard first.count < Self.mostKept else { return }
    first.append(MalformedRecord(uri: record.uri, rkey: record.rkey, value: nil, reason: record.reason))
  }

  static func + (some: Self, others: Self?) -> Self {
    var all = some
    all.first += others?.first.prefix(mostKept - all.first.count) ?? []
    all.count += others?.count ?? 0
    return all
  }
}
