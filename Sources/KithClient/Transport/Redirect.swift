// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes

/// Follows 3xx responses for a transport, so that each hop is a request of its own with its own checks.
package struct Redirect {
  /// A valid URL of a web page, as the transport that will request it understands it.
  package struct Target {
    /// `http` or `https`.
    let scheme: String
    /// Without user information, and without the scheme's default port.
    let authority: String
    /// The path and query, percent-encoded.
    let path: String

    package init(scheme: String, authority: String, path: String) {
      self.scheme = scheme
      self.authority = authority
      self.path = path
    }
  }

  private let first: TransportRequest
  private let named: Authority?
  private let resolve: (_ location: String, _ head: HTTPRequest) -> Target?
  private var hops = 0

  /// Starts with the caller's request.
  ///
  /// - Parameter resolve: Resolves a `Location` against the request that it answers; nil unless it is a valid
  ///   URL of a web page, without user information. The transport's own parser, so that it requests the host
  ///   that was checked.
  package init(
    _ request: TransportRequest, resolve: @escaping (_ location: String, _ head: HTTPRequest) -> Target?
  ) {
    first = request
    self.resolve = resolve
    named = request.head.authority.flatMap(Authority.init)
  }

  /// Returns the request that a response redirects to; nil if the response is final.
  ///
  /// A hop only keeps header fields that affect the form of the response, no credentials and no others. If it
  /// leads to a host or port that the caller did not name, that host must be public.
  /// - Throws: ``TransportError`` with `tooManyRedirects` if the redirect is not allowed.
  package mutating func next(
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
    guard let target = resolve(location, request.head) else {
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
}
