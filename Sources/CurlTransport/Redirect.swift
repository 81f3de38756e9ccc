// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import CCurl
import HTTPTypes

/// Follows 3xx responses above libcurl, so that each hop is a request of its own with its own checks.
struct Redirect {
  private let first: TransportRequest
  private let named: Authority?
  private var hops = 0

  /// Starts with the caller's request.
  init(_ request: TransportRequest) {
    first = request
    named = request.head.authority.flatMap(Authority.init)
  }

  /// Returns the request that a response redirects to; nil if the response is final.
  ///
  /// A hop only keeps header fields that affect the form of the response, no credentials and no others. If it
  /// leads to a host or port that the caller did not name, that host must be public.
  /// - Throws: ``TransportError`` with `tooManyRedirects` if the redirect is not allowed.
  mutating func next(
    after request: TransportRequest, _ answer: HTTPResponse
  ) throws(TransportError) -> TransportRequest? {
    guard case .follow(let most) = first.redirects, [301, 302, 303, 307, 308].contains(answer.status.code),
      let location = answer.headerFields[.location]
    else { return nil }
    let host = request.head.authority ?? ""
    hops += 1
    guard hops <= most else {
      throw TransportError(.tooManyRedirects, host: host, detail: "more than \(most)")
    }
    guard let target = Self.resolve(location, against: request.head) else {
      throw TransportError(.malformedResponse, host: host, detail: "its Location is not a valid URL")
    }
    guard request.head.scheme?.lowercased() == "http" || target.scheme == "https" else {
      throw TransportError(.tooManyRedirects, host: host, detail: "from https to http")
    }
    let becomesGet = answer.status.code == 303 || (answer.status.code < 303 && request.head.method == .post)
    let isSameOrigin =
      target.scheme == request.head.scheme?.lowercased()
      && target.authority.lowercased() == host.lowercased()
    guard becomesGet || request.body == nil || isSameOrigin else {
      throw TransportError(.tooManyRedirects, host: host, detail: "it would send the body to another host")
    }
    var next = request
    if becomesGet, request.head.method != .head {
      next.head.method = .get
      next.body = nil
    }
    next.head.scheme = target.scheme
    next.head.authority = target.authority
    next.head.path = target.path
    let kept: Set<HTTPField.Name> = [.accept, .acceptLanguage, .userAgent]
    next.head.headerFields = HTTPFields(
      request.head.headerFields.filter {
        kept.contains($0.name) || (next.body != nil && $0.name == .contentType)
      })
    next.reach = Authority(target.authority) == named ? first.reach : .publicOnly
    return next
  }

  /// Resolves a `Location` with libcurl's URL parser; nil unless it is http or https.
  private static func resolve(
    _ location: String, against head: HTTPRequest
  ) -> (scheme: String, authority: String, path: String)? {
    guard let url = curl_url() else { return nil }
    defer { curl_url_cleanup(url) }
    let base = "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "/")"
    guard curl_url_set(url, CURLUPART_URL, base, 0) == CURLUE_OK,
      curl_url_set(url, CURLUPART_URL, location, UInt32(CURLU_URLENCODE | CURLU_DISALLOW_USER)) == CURLUE_OK,
      let scheme = part(url, CURLUPART_SCHEME), scheme == "http" || scheme == "https",
      let host = part(url, CURLUPART_HOST), let path = part(url, CURLUPART_PATH)
    else { return nil }
    let port = part(url, CURLUPART_PORT).map { ":\($0)" } ?? ""
    let query = part(url, CURLUPART_QUERY).map { "?\($0)" } ?? ""
    return (scheme, host + port, path + query)
  }

  private static func part(_ url: OpaquePointer, _ part: CURLUPart) -> String? {
    var text: UnsafeMutablePointer<CChar>?
    guard curl_url_get(url, part, &text, UInt32(CURLU_NO_DEFAULT_PORT)) == CURLUE_OK, let text else {
      return nil
    }
    defer { curl_free(text) }
    return String(cString: text)
  }
}
