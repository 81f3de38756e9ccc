// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// Generates names and dates for the accounts and records of a network.
enum Identities {
  /// 2023-01-01T00:00:00Z: accounts are created in this year, in order.
  private static let firstAccount = 1_672_531_200
  /// 2024-01-01T00:00:00Z: records are created in this year.
  private static let firstRecord = 1_704_067_200
  private static let secondsOfAccounts = 31_536_000
  /// The length of 2024.
  static let secondsOfRecords: UInt32 = 31_622_400

  /// A `did:plc` of 120 random bits.
  static func did(random: inout SplitMix64) -> DID {
    let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
    var text = Array("did:plc:".utf8)
    for _ in 0..<2 {
      var bits = random.next()
      for _ in 0..<12 {
        text.append(alphabet[Int(bits & 31)])
        bits >>= 5
      }
    }
    return valid(String(decoding: text, as: UTF8.self))
  }

  /// `alice.test` for the cast, `user0014.test` for others; the number is padded to `digits`.
  static func handle(of index: Int, digits: Int) -> Handle {
    if let member = NamedAccount(rawValue: index) { return valid(member.handle) }
    let number = String(index)
    return valid("user\(String(repeating: "0", count: digits - number.utf8.count))\(number).test")
  }

  static func createdAt(of index: Int, among count: Int) -> Datetime {
    Datetime(at: creation(of: index, among: count))
  }

  /// When an account was created.
  static func creation(of index: Int, among count: Int) -> Instant {
    Instant(secondsSinceEpoch: Int64(firstAccount + index * secondsOfAccounts / count))
  }

  /// The CID of a file that does not exist: as ``cid(seed:)``, for raw bytes.
  static func blobCID(seed: UInt64) -> CID { cid(seed: seed, codec: 0x55) }

  /// The URI of a record whose key is the TID of a moment, in microseconds after the first record.
  static func uri(_ did: DID, _ collection: NSID, microseconds: UInt64) -> ATURI {
    ATURI(authority: .did(did), collection: collection, recordKey: key(microseconds: microseconds))
  }

  /// The TID of a moment, in microseconds after the first record.
  static func key(microseconds: UInt64) -> RecordKey {
    RecordKey(tid: TID(at: moment(microseconds), clockID: 0))
  }

  /// The moment that is this many microseconds after the first record.
  static func moment(_ microseconds: UInt64) -> Instant {
    Instant(microsecondsSinceEpoch: Int64(firstRecord) * 1_000_000 + Int64(microseconds))
  }

  /// The initial revision of every repository: the end of the year of its records.
  static let firstRevision = TID(at: moment(UInt64(secondsOfRecords) * 1_000_000), clockID: 0)

  /// The DID of the PDS.
  static let pds: DID = valid("did:web:localhost")

  /// A CID of a valid form for a block whose bytes do not exist.
  ///
  /// Its hash is derived from the seed and is not a real SHA-256: equal seeds give equal CIDs, and they
  /// cannot be verified.
  static func cid(seed: UInt64) -> CID { cid(seed: seed, codec: 0x71) }  // dag-cbor

  private static func cid(seed: UInt64, codec: UInt8) -> CID {
    var random = SplitMix64(seed: seed)
    let hash = (0..<32).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    do throws(SyntaxError) {
      return try CID(bytes: [0x01, codec, 0x12, 0x20] + hash)  // version 1, the codec, SHA-256 of 32 bytes
    } catch {
      preconditionFailure("the sandbox made up an invalid CID: \(error)")
    }
  }

  /// When the lists were created.
  static let listsMadeAt = Datetime(at: Instant(secondsSinceEpoch: Int64(firstRecord)))

  /// A generated URI.
  static func uri(_ text: String) -> URI { valid(text) }

  /// Generated names are valid by construction; an invalid one is a programming error.
  private static func valid<Identifier: SyntaxIdentifier>(_ text: String) -> Identifier {
    guard let identifier = Identifier(text) else {
      preconditionFailure("the sandbox made up an invalid \(Identifier.self): \(text)")
    }
    return identifier
  }
}
