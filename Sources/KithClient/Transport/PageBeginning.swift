// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import KithCore

/// The beginning of a web page, or a file, on a host that a stranger may have named: only https on public addresses, for a few seconds.
package struct PageBeginning: Sendable {
  /// The status of the response.
  package let status: Int
  /// The MIME type in lower case, without parameters; nil if there is none.
  package let mediaType: String?
  /// How the server says that the body is encoded; nil if it does not.
  package let charset: String?
  /// Where the page was, after redirects.
  package let address: URI
  /// The first bytes of the body.
  package let bytes: [UInt8]

  /// Whole pages are far larger than what is read of them.
  private static let limits = TransportRequest.Limits(responseBytes: 16 << 20).forUntrustedHosts

  /// Reads a page.
  ///
  /// - Parameters:
  ///   - most: the maximum number of bytes to read; the rest is not waited for.
  ///   - types: the types to ask for.
  /// - Throws: `TransportError` if it cannot be reached, or must not be; `CancellationError`.
  package init(
    at address: URI, most: Int, accepting types: String = "text/html", over transport: any HTTPTransport
  ) async throws {
    let place = try Place(address)
    var head = HTTPRequest(method: .get, scheme: "https", authority: place.authority, path: place.path)
    head.headerFields[.accept] = types
    let request = TransportRequest(
      head: head, limits: Self.limits, redirects: .follow(most: 3), reach: .publicOnly)
    let answer = try await CheckedTransport(transport).open(request)
    status = answer.head.status.code
    mediaType = answer.mediaType
    charset = answer.head.headerFields[.contentType].flatMap(MediaType.charset)
    self.address =
      answer.redirect.flatMap { URI("https://\($0.authority ?? "")\($0.path ?? "/")") } ?? address
    bytes = try await answer.body.collect(upTo: most)
  }

  /// Where a page is, with its name in ASCII and its characters outside ASCII encoded.
  private struct Place {
    let authority: String
    let path: String

    init(_ address: URI) throws(TransportError) {
      let text = "\(address)"
      let scheme = "https://"
      func refused(_ reason: String) -> TransportError {
        TransportError(.invalidRequest, host: text.shortened(toBytes: 80), detail: reason)
      }
      guard text.prefix(scheme.count).lowercased() == scheme else { throw refused("not an https address") }
      let rest = text.dropFirst(scheme.count).prefix { $0 != "#" }
      let host = rest.prefix { $0 != "/" && $0 != "?" }
      guard !host.contains("@") else { throw refused("the address contains a user name") }
      authority = Self.ascii(host)
      guard Authority(authority) != nil, authority.allSatisfy(Self.isAllowed) else {
        throw refused("its host is not a valid name")
      }
      let tail = rest[host.endIndex...]
      path =
        (tail.hasPrefix("/") ? "" : "/")
        + tail.utf8.map { byte in
          byte > 0x20 && byte < 0x7F
            ? String(UnicodeScalar(byte))
            : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    private static func ascii(_ host: Substring) -> String {
      guard !host.utf8.allSatisfy({ $0 < 0x80 }),
        host.unicodeScalars.allSatisfy({ $0.isASCII || isOfName($0.properties) })
      else { return String(host) }
      return Punycode.ascii(host)
    }

    /// Whether names have such a character: a letter, a mark on one, a digit or an emoji.
    private static func isOfName(_ properties: Unicode.Scalar.Properties) -> Bool {
      properties.isAlphabetic || properties.isEmoji
        || [.nonspacingMark, .spacingMark, .decimalNumber].contains(properties.generalCategory)
    }

    private static func isAllowed(_ character: Character) -> Bool {
      character.isASCII && (character.isLetter || character.isNumber || "-._:[]".contains(character))
    }
  }
}

/// The type of a body (RFC 9110), as a header says it.
package enum MediaType {
  /// The encoding in a type: `utf-8` of `text/html; charset="UTF-8"`, as written; nil if there is none.
  package static func charset(of type: String) -> String? {
    for parameter in type.split(separator: ";").dropFirst() {
      let parts = parameter.split(separator: "=", maxSplits: 1)
      guard parts.count == 2, trimmed(parts[0]).lowercased() == "charset" else { continue }
      let value = trimmed(parts[1])
      return value.isEmpty ? nil : value
    }
    return nil
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" })
  }
}
