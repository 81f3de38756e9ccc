// SPDX-License-Identifier: Apache-2.0

/// An account, named by its DID or by its handle.
///
/// Whatever starts with `did:` is read as a DID: no handle has a colon.
public enum ATIdentifier: SyntaxIdentifier, ScannedIdentifier {
  /// The permanent name.
  case did(DID)
  /// The domain name, which may move to another account.
  case handle(Handle)

  public init(parsing text: some StringProtocol) throws(SyntaxError) {
    if text.utf8.starts(with: "did:".utf8) {
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

  /// Takes bytes that were checked before.
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
