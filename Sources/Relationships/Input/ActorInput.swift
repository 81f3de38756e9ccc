// SPDX-License-Identifier: Apache-2.0

package import ATProtoCore

/// An account as people name it: a handle, `@handle`, a DID, a profile URL or an AT-URI.
///
/// Surrounding white space is ignored, as are the invisible direction marks that copying from an app adds.
/// Only the path of a URL is read (`/profile/<who>/…`), for any host; of an AT-URI only the authority.
package struct ActorInput: Sendable, Hashable {
  /// The account.
  package let identifier: ATIdentifier

  /// Parses what a person typed or pasted.
  ///
  /// - Throws: ``InputError`` with the text and the reason.
  package init(parsing text: some StringProtocol) throws(InputError) {
    let trimmed = Self.trim(text)
    if trimmed.isEmpty { throw InputError(text: String(text), reason: "the text is empty") }
    let name: Substring
    if trimmed.hasPrefix("https://") || trimmed.hasPrefix("http://") {
      guard let found = Self.name(inProfileURL: trimmed) else {
        throw InputError(text: String(trimmed), reason: "not a profile URL (…/profile/NAME)")
      }
      name = found
    } else if trimmed.hasPrefix("at://") {
      do throws(SyntaxError) { name = Substring("\(try ATURI(parsing: trimmed).authority)") } catch {
        throw InputError(
          text: String(trimmed), reason: "not an AT-URI (\(error.reason), byte \(error.offset))")
      }
    } else {
      name = trimmed.hasPrefix("@") ? Self.trim(trimmed.dropFirst()) : trimmed
    }
    do throws(SyntaxError) {
      identifier = try ATIdentifier(parsing: name)
    } catch {
      throw InputError(
        text: String(trimmed),
        reason: Self.isOneWord(name)
          ? "a handle has a dot, such as alice.bsky.social"
          : "not a DID and not a handle (\(error.reason), character \(error.offset + 1))")
    }
    if case .did(let did) = identifier, !did.isOfAccount {
      throw InputError(
        text: String(trimmed),
        reason: did.method == "plc"
          ? "a did:plc has exactly 24 characters after the prefix, all from a to z and 2 to 7"
          : "accounts use did:plc or did:web, not did:\(did.method)")
    }
  }

  /// Whether it could be the first part of a handle, as people call an account.
  private static func isOneWord(_ name: Substring) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") }
  }

  package static func trim(_ text: some StringProtocol) -> Substring {
    let scalars = Substring(String(text)).unicodeScalars
    func isPadding(_ scalar: Unicode.Scalar) -> Bool {
      scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
    }
    guard let first = scalars.firstIndex(where: { !isPadding($0) }),
      let last = scalars.lastIndex(where: { !isPadding($0) })
    else { return "" }
    return Substring(scalars[first...last])
  }

  /// The segments of a URL's path, for any host.
  package static func path(ofURL url: Substring) -> [Substring] {
    url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }.prefix { $0 != "?" && $0 != "#" }
      .split(separator: "/")
  }

  private static func name(inProfileURL url: Substring) -> Substring? {
    let segments = path(ofURL: url)
    guard segments.count >= 2, segments[0] == "profile" else { return nil }
    return Substring(segments[1].replacing("%3A", with: ":").replacing("%3a", with: ":"))
  }
}

extension UInt8 {
  fileprivate var isASCIILetterOrDigit: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"):
      true
    default: false
    }
  }
}
