// SPDX-License-Identifier: Apache-2.0

/// A decentralized identifier: the permanent identifier of an account (`did:plc:…`, `did:web:…`).
///
/// `did:`, a method of lower-case letters, a colon, then letters, digits and `.` `_` `:` `%` `-`, not ending
/// with a colon or a percent sign; at most 2,048 bytes; compared byte by byte. Percent escapes and
/// method-specific rules are not checked: `did:[a-z]+:[a-zA-Z0-9._:%-]*[a-zA-Z0-9._-]`.
///
/// A `did:plc` of 24 base32 digits is stored inline in 120 bits. A DID therefore takes 16 bytes, and usually
/// no heap memory; other DIDs are stored behind one reference.
/// Specification: <https://atproto.com/specs/did>.
public struct DID: SyntaxIdentifier, ScannedIdentifier {
  private enum Storage: Sendable {
    case plc(PLCDigits)
    case text(DIDText)
  }

  private let storage: Storage

  public static func == (lhs: DID, rhs: DID) -> Bool {
    switch (lhs.storage, rhs.storage) {
    case (.plc(let left), .plc(let right)): left == right
    case (.text(let left), .text(let right)): left == right
    default: false
    }
  }

  /// Leaves out the kind of storage, which the text determines: lookups of DIDs dominate batch work.
  public func hash(into hasher: inout Hasher) {
    switch storage {
    case .plc(let digits): digits.hash(into: &hasher)
    case .text(let text): text.hash(into: &hasher)
    }
  }

  static let subject = "DID"

  init(scanning bytes: UTF8Bytes) throws(SyntaxFault) {
    if let digits = PLCDigits(did: bytes) {
      self.init(storage: .plc(digits))
    } else {
      try Self.check(bytes)
      self.init(unchecked: bytes)
    }
  }

  private init(storage: Storage) { self.storage = storage }

  /// Parses a `did:plc` of 24 digits; nil for any other text, including other DIDs.
  ///
  /// A fast path for long lists of DIDs.
  package init?(plc text: String) {
    guard case let did?? = text.utf8.withContiguousStorageIfAvailable({ DID(plc: $0) }) else { return nil }
    self = did
  }

  /// Parses the bytes of a `did:plc` of 24 digits; nil for anything else, including other DIDs.
  package init?(plc bytes: UnsafeBufferPointer<UInt8>) {
    guard let digits = PLCDigits(did: bytes) else { return nil }
    self.init(storage: .plc(digits))
  }

  /// Creates the `did:web` of a host that the source code names, such as `api.bsky.app`.
  package init(webHost host: StaticString) { storage = .text(DIDText("did:web:\(host)")) }

  /// Creates a value from bytes that were checked before.
  init(unchecked bytes: UTF8Bytes) {
    if let digits = PLCDigits(did: bytes) {
      storage = .plc(digits)
    } else {
      storage = .text(DIDText(String(decoding: bytes, as: UTF8.self)))
    }
  }

  public var description: String {
    switch storage {
    case .plc(let digits): digits.did
    case .text(let text): text.value
    }
  }

  /// The first byte of ``packed`` for a `did:plc` of 24 digits; no text begins with it.
  private static let packedTag: UInt8 = 1

  /// A compact form for storage: 16 bytes for a `did:plc` of 24 digits, the text for any other DID.
  package var packed: [UInt8] {
    switch storage {
    case .plc(let digits): [Self.packedTag] + digits.bytes
    case .text(let text): Array(text.value.utf8)
    }
  }

  /// Restores a value from ``packed``; nil for bytes that it never produces.
  package init?(packed bytes: [UInt8]) {
    if bytes.first == Self.packedTag {
      guard bytes.count == 16 else { return nil }
      self.init(storage: .plc(PLCDigits(bytes: bytes.dropFirst())))
    } else {
      self.init(String(decoding: bytes, as: UTF8.self))
    }
  }

  /// Whether no character of the text needs escaping in a URL.
  package var isPlainInURL: Bool {
    switch storage {
    case .plc: true
    case .text(let text): !text.value.utf8.contains(UInt8(ascii: "%"))
    }
  }

  /// Calls the closure with the text, without creating a `String` for a packed DID.
  package func withText(_ body: (UnsafeBufferPointer<UInt8>) -> Void) {
    switch storage {
    case .plc(let digits): digits.withText(body)
    case .text(let text):
      var value = text.value
      value.withUTF8(body)
    }
  }

  /// The method between the first two colons: `plc`, `web`.
  public var method: String {
    switch storage {
    case .plc: "plc"
    case .text(let text): String(text.value.dropFirst(4).prefix { $0 != ":" })
    }
  }

  /// Whether an account can have this DID: a `did:plc` of 24 base32 digits, or any `did:web`.
  ///
  /// The DID syntax allows more. Specification: <https://atproto.com/specs/did#blessed-did-methods>.
  public var isOfAccount: Bool {
    switch storage {
    case .plc: true
    case .text: method == "web"
    }
  }

  /// The characters allowed after the method.
  private static let tail = ASCIISet.alphanumerics.union("._:%-")

  static func check(_ bytes: UTF8Bytes) throws(SyntaxFault) {
    let most = 2_048
    guard bytes.count <= most else { throw SyntaxFault("longer than 2048 bytes", at: most) }
    guard bytes.startsLikeDID else { throw SyntaxFault("it does not start with \"did:\"", at: 0) }
    var offset = 4
    while offset < bytes.count, bytes[offset].isLowercaseLetter { offset += 1 }
    guard offset < bytes.count else { throw SyntaxFault("no colon after the method", at: offset) }
    guard bytes[offset] == UInt8(ascii: ":") else {
      throw SyntaxFault("the method must be lower-case letters followed by a colon", at: offset)
    }
    guard offset > 4 else { throw SyntaxFault("the method is empty", at: offset) }
    offset += 1
    guard offset < bytes.count else { throw SyntaxFault("nothing after the method", at: offset) }
    while offset < bytes.count, Self.tail.contains(bytes[offset]) { offset += 1 }
    guard offset == bytes.count else {
      throw SyntaxFault("only letters, digits and . _ : % - are allowed", at: offset)
    }
    if bytes[offset - 1] == UInt8(ascii: ":") || bytes[offset - 1] == UInt8(ascii: "%") {
      throw SyntaxFault("it ends with a colon or percent sign", at: offset - 1)
    }
  }
}

extension DID: Comparable {
  /// Orders a packed DID against most others without formatting it.
  private static var plc: String { "did:plc:" }

  /// Orders by text.
  public static func < (lhs: DID, rhs: DID) -> Bool {
    switch (lhs.storage, rhs.storage) {
    case (.plc(let left), .plc(let right)): left < right
    case (.text(let left), .text(let right)): left.value < right.value
    case (.plc, .text(let right)) where !right.value.hasPrefix(Self.plc): Self.plc < right.value
    case (.text(let left), .plc) where !left.value.hasPrefix(Self.plc): left.value < Self.plc
    default: lhs.description < rhs.description
    }
  }
}

/// The text of a DID that is not a `did:plc` of 24 base32 digits.
private final class DIDText: Hashable, Sendable {
  let value: String

  init(_ value: String) { self.value = value }

  static func == (lhs: DIDText, rhs: DIDText) -> Bool { lhs === rhs || lhs.value == rhs.value }
  func hash(into hasher: inout Hasher) { hasher.combine(value) }
}
