// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import KithCore

/// The beginning of a web page, or a file, on a host that a stranger may have named: only https on public addresses, for a few seconds.
package struct PageBeginning: Sendable {
  /// The status of the response.
  package let status: Int
  /// The MIME type in lower case, without parameters; nil if there is none.
  package let mediaType: String?
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
    guard let place = Place(address) else {
      throw TransportError(
        .invalidRequest, host: "\(address)".shortened(toBytes: 80), detail: "not an https address")
    }
    var head = HTTPRequest(method: .get, scheme: "https", authority: place.authority, path: place.path)
    head.headerFields[.accept] = types
    let request = TransportRequest(
      head: head, limits: Self.limits, redirects: .follow(most: 3), reach: .publicOnly)
    let answer = try await CheckedTransport(transport).open(request)
    status = answer.head.status.code
    mediaType = answer.mediaType
    bytes = try await answer.body.collect(upTo: most)
  }

  /// Where a page is, with its characters outside ASCII encoded.
  private struct Place {
    let authority: String
    let path: String

    init?(_ address: URI) {
      let text = "\(address)"
      let scheme = "https://"
      guard text.prefix(scheme.count).lowercased() == scheme else { return nil }
      let rest = text.dropFirst(scheme.count).prefix { $0 != "#" }
      authority = String(rest.prefix { $0 != "/" && $0 != "?" })
      guard !authority.isEmpty,
        authority.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-.:".contains($0)) })
      else { return nil }
      let tail = rest.dropFirst(authority.count)
      path =
        (tail.hasPrefix("/") ? "" : "/")
        + tail.utf8.map { byte in
          byte > 0x20 && byte < 0x7F
            ? String(UnicodeScalar(byte))
            : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
  }
}
