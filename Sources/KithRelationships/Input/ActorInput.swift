// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// An account as people name it: a handle, `@handle`, a DID, a profile URL or an AT-URI.
///
/// Surrounding white space is ignored, as are the invisible direction marks that copying from an app adds, a comma or
/// semicolon at the end and angle brackets around the text. Only the path of a URL is read (`/profile/<who>/…`), for
/// any host; of an AT-URI only the authority. A URL may lack its scheme, as browsers show it.
package struct ActorInput: Sendable, Hashable {
  /// The account.
  package let identifier: ATIdentifier

  /// Parses what a person typed or pasted.
  ///
  /// - Throws: ``InputError`` with the text and the reason.
  package init(parsing text: some StringProtocol) throws(InputError) {
    let trimmed = Self.withoutSlash(Self.pasted(text))
    if trimmed.isEmpty { throw InputError(text: String(text), reason: "the text is empty") }
    let name: Substring
    if let url = Self.url(trimmed) {
      guard let found = Self.name(inProfileURL: url) else {
        throw InputError(text: String(trimmed), reason: Self.reason(noProfile: url))
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
          : Self.asciiHandle(name).map { "handles are written in ASCII; this name is \($0) as a handle" }
            ?? "not a DID and not a handle (\(error.reason), character \(error.offset + 1))")
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
    guard let first = scalars.firstIndex(where: { !isPadding($0) }),
      let last = scalars.lastIndex(where: { !isPadding($0) })
    else { return "" }
    return Substring(scalars[first...last])
  }

  private static func isPadding(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace || scalar.properties.generalCategory == .format
  }

  /// A text without what encloses it or separates it from the next in a text or a table: `<https://…>`, `alice.test,`.
  /// The scheme of an address is in lower case then.
  package static func pasted(_ text: some StringProtocol) -> Substring {
    var scalars = trim(text).unicodeScalars
    while let last = scalars.last, last == "," || last == ";" || isPadding(last) { scalars.removeLast() }
    if scalars.count > 1, scalars.first == "<", scalars.last == ">" {
      scalars = trim(Substring(scalars.dropFirst().dropLast())).unicodeScalars
    }
    let head = String(scalars.prefix(8)).lowercased()
    guard let scheme = ["https://", "http://", "at://"].first(where: head.hasPrefix) else {
      return Substring(scalars)
    }
    return scheme + Substring(scalars.dropFirst(scheme.count))
  }

  /// A slash after a handle is that of an address without a path.
  private static func withoutSlash(_ text: Substring) -> Substring {
    guard text.hasSuffix("/"), !text.contains("://"), Handle(String(text.dropLast())) != nil else {
      return text
    }
    return text.dropLast()
  }

  /// The segments of a URL's path, decoded, for any host.
  package static func path(ofURL url: Substring) -> [Substring] {
    url.drop { $0 != ":" }.dropFirst(3).drop { $0 != "/" }.prefix { $0 != "?" && $0 != "#" }
      .split(separator: "/").map(decoded)
  }

  /// A segment of a URL's path with the characters that `%XX` stand for; unchanged if they are not UTF-8.
  static func decoded(_ segment: Substring) -> Substring {
    guard segment.utf8.contains(UInt8(ascii: "%")) else { return segment }
    var bytes: [UInt8] = []
    var rest = Substring(segment).utf8
    while let byte = rest.popFirst() {
      let digits = String(rest.prefix(2)) ?? ""
      if byte == UInt8(ascii: "%"), digits.utf8.count == 2, digits.allSatisfy(\.isHexDigit),
        let value = UInt8(digits, radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(validating: bytes, as: UTF8.self).map { Substring($0) } ?? segment
  }

  /// A URL, with its scheme; nil if the text is none. Without a scheme, a slash makes it one: no name has a slash.
  package static func url(_ text: Substring) -> Substring? {
    if text.hasPrefix("https://") || text.hasPrefix("http://") { return text }
    guard !text.contains("://"), !text.hasPrefix("did:"), text.contains("/") else { return nil }
    return "https://" + text
  }

  private static func name(inProfileURL url: Substring) -> Substring? {
    let segments = path(ofURL: url)
    guard segments.count >= 2, segments[0] == "profile" else { return nil }
    return name(inSegment: segments[1])
  }

  /// The name of an account in a decoded segment of a URL's path.
  static func name(inSegment segment: Substring) -> Substring {
    segment.hasPrefix("@") ? segment.dropFirst() : segment
  }

  /// Why a URL without a profile names no account. The address of a handle's own web site has the handle in it, but so
  /// does that of every other site.
  private static func reason(noProfile url: Substring) -> String {
    let host = url.drop { $0 != ":" }.dropFirst(3).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    guard path(ofURL: url).isEmpty, let handle = Handle(String(host)) else {
      return "not a profile URL (…/profile/NAME)"
    }
    return "not a profile URL (…/profile/NAME); if the account \(handle) is meant, name it so"
  }

  /// The handle of a name that is written in Unicode; nil if there is none.
  private static func asciiHandle(_ name: Substring) -> Handle? {
    guard name.utf8.count <= longestHandle, !name.utf8.allSatisfy({ $0 < 0x80 }),
      name.unicodeScalars.allSatisfy({ $0.isASCII || $0.properties.isAlphabetic || $0.properties.isEmoji })
    else { return nil }
    return Handle(Punycode.ascii(name))
  }

  /// More bytes than the longest handle has in Unicode.
  private static let longestHandle = 1_024
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
