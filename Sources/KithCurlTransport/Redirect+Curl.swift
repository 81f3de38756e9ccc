// SPDX-License-Identifier: Apache-2.0

import CKithCurl
import HTTPTypes
import KithClient

extension Redirect {
  /// Starts with the caller's request, and resolves locations as libcurl does.
  init(_ request: TransportRequest) {
    self.init(request) { Target($0, against: $1) }
  }
}

extension Redirect.Target {
  /// Resolves a `Location` with libcurl's URL parser; nil unless it is http or https.
  init?(_ location: String, against head: HTTPRequest) {
    guard let url = curl_url() else { return nil }
    defer { curl_url_cleanup(url) }
    let base = "\(head.scheme ?? "")://\(head.authority ?? "")\(head.path ?? "/")"
    guard curl_url_set(url, CURLUPART_URL, base, 0) == CURLUE_OK,
      curl_url_set(url, CURLUPART_URL, location, UInt32(CURLU_URLENCODE | CURLU_DISALLOW_USER)) == CURLUE_OK,
      let scheme = Self.part(url, CURLUPART_SCHEME), scheme == "http" || scheme == "https",
      let host = Self.part(url, CURLUPART_HOST), let path = Self.part(url, CURLUPART_PATH)
    else { return nil }
    let port = Self.part(url, CURLUPART_PORT).map { ":\($0)" } ?? ""
    let query = Self.part(url, CURLUPART_QUERY).map { "?\($0)" } ?? ""
    self.init(scheme: scheme, authority: host + port, path: path + query)
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
