// SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import KithClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// A time that no exchange takes, as `URLSession`'s own limit.
  static let longestTime: TimeInterval = 7 * 86_400

  /// Converts a request.
  /// - Throws: ``TransportError`` with `invalidRequest` if `URLSession` would not send it as it is.
  init(_ request: TransportRequest, userAgent: String) throws(TransportError) {
    let target = try RequestTarget(request.head)
    let text = "\(target.scheme)://\(target.host)\(target.path)"
    guard let url = URL(string: text, encodingInvalidCharacters: false), let host = url.host(),
      Authority(host.contains(":") ? "[\(host)]" : host)?.host == target.authority.host
    else {
      throw TransportError(.invalidRequest, host: target.host, detail: "its URL is not valid")
    }
    guard request.body == nil || request.head.method != .get else {
      throw TransportError(.invalidRequest, host: target.host, detail: "a GET cannot have a body")
    }
    self.init(url: url)
    cachePolicy = .reloadIgnoringLocalCacheData
    timeoutInterval = Self.longestTime
    httpMethod = request.head.method.rawValue
    httpBody = request.body.map { Data($0) }
    httpShouldHandleCookies = false
    for field in request.head.headerFields {
      addValue(field.value, forHTTPHeaderField: field.name.rawName)
    }
    if !request.head.headerFields.contains(.userAgent) {
      setValue(userAgent, forHTTPHeaderField: HTTPField.Name.userAgent.rawName)
    }
  }
}

extension HTTPResponse {
  /// Converts the head of a response; nil unless it is one of HTTP.
  ///
  /// `URLSession` does not keep the reason phrase, and may join fields of the same name with commas.
  init?(_ response: URLResponse) {
    guard let response = response as? HTTPURLResponse, (100..<1_000).contains(response.statusCode) else {
      return nil
    }
    self.init(status: Status(code: response.statusCode))
    for (name, value) in response.allHeaderFields {
      guard let text = name as? String, let name = HTTPField.Name(text), let value = value as? String else {
        continue
      }
      headerFields.append(HTTPField(name: name, value: value))
    }
  }
}

extension Redirect.Target {
  /// Resolves a `Location` with Foundation's URL parser; nil unless it is http or https.
  init?(_ location: String, against head: HTTPRequest) {
    let base = URL(string: "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "/")")
    guard let base, let url = URL(string: location, relativeTo: base)?.absoluteURL,
      let scheme = url.scheme?.lowercased(), scheme == "http" || scheme == "https",
      url.user() == nil, url.password() == nil, let host = url.host(), !host.isEmpty
    else { return nil }
    let isDefault = url.port == nil || url.port == (scheme == "https" ? 443 : 80)
    let name = host.contains(":") ? "[\(host)]" : host
    let authority = isDefault ? name : "\(name):\(url.port ?? 0)"
    guard Authority(authority) != nil else { return nil }
    let path = url.path(percentEncoded: true)
    self.init(
      scheme: scheme, authority: authority,
      path: (path.isEmpty ? "/" : path) + (url.query(percentEncoded: true).map { "?\($0)" } ?? ""))
  }
}
