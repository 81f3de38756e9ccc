// SPDX-License-Identifier: Apache-2.0

/// An account, identified by its DID or its handle.
///
/// Text that starts with `did:` is parsed as a DID, because a handle has no colon.
public enum ATIdentifier: SyntaxIdentifier, ScannedIdentifier {
  /// The permanent identifier.
  case did(DID)
  /// The domain name, which may move to another account.
  case handle(Handle)

  public init(parsing text: some StringProtocol) throws(SyntaxError) {
    // Of a type that is known here: else the search for the prefix looks through all conformances of the program.
    var text = String(text)
    if text.withUTF8(\.startsLikeDID) {
      self = .did(try DID(parsing: text))
    } else {
      self = .handle(try Handle(parsing: text))
    }
  }

  static let subject = "handle or DID"

  init(scanning bytes: UTF8Bytes) throws(SyntaxFault) {
    if bytes.startsLikeDID {
      self = .did(try DID(scanning: bytes))
    } else {
      self = .handle(try Handle(scanning: bytes))
    }
  }

  /// Creates a value from bytes that were checked before.
  init(unchecked bytes: UTF8Bytes) {
    if bytes.startsLikeDID {
      self = .did(DID(unchecked: bytes))
    } else {
      self = .handle(Handle(unchecked: bytes))
    }
  }

  static func check(_ bytes: UTF8Bytes) throws(SyntaxFault) {
    if bytes.startsLikeDID { try DID.check(bytes) } else { try Handle.check(bytes) }
  }

  public var description: String {
    switch self {
    case .did(let did): did.description
    case .handle(let handle): handle.description
    }
  }
}
