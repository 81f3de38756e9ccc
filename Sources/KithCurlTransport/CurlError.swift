// SPDX-License-Identifier: Apache-2.0

import CKithCurl
import KithClient

extension TransportError {
  /// Converts the code with which libcurl ended an exchange.
  ///
  /// - Parameter tunnel: The status of a proxy's response to CONNECT; 0 if there was none.
  init(_ code: CURLcode, ending transfer: CurlTransfer, detail: String, tunnel: Int) {
    let exchange = transfer.exchange
    if tunnel != 0, !(200..<300).contains(tunnel) {
      self.init(proxyStatus: tunnel, for: exchange)
    } else {
      let isShowable = !detail.isEmpty && !exchange.proxy.mayBeGivenAway(by: detail)
      self.init(
        Code(code, detail: detail, ending: transfer), host: exchange.host,
        detail: Self.words(code) ?? (isShowable ? detail : String(cString: curl_easy_strerror(code))))
    }
  }

  /// A better text than libcurl's; nil if its own says what happened.
  private static func words(_ code: CURLcode) -> String? {
    switch code {
    // libcurl's code for what exceeds a limit of its own, which says "Out of memory".
    case CURLE_OUT_OF_MEMORY: "a line of the head or a compressed block is too long"
    // libcurl cannot send a body twice, and says "necessary data rewind wasn't possible".
    case CURLE_SEND_FAIL_REWIND: "the host closed it while the request was sent"
    default: nil
    }
  }

  /// Creates an error for a proxy that refused.
  init(proxyStatus status: Int, for exchange: CurlExchange) {
    let way = "set them in http_proxy and https_proxy as http://USER:PASSWORD@HOST:PORT"
    let words =
      switch (status, exchange.proxy.credentials) {
      case (407, nil): "it requires a user name and a password; \(way)"
      case (407, _): "it rejected the user name and password; \(way)"
      default: "it answered \(status)"
      }
    self.init(.proxyRefused, host: exchange.host, detail: words)
  }
}

extension String {
  /// The user information in a proxy's URL, before the @.
  fileprivate var credentials: Substring? {
    guard let end = lastIndex(of: "@") else { return nil }
    let start = firstRange(of: "://").map(\.upperBound) ?? startIndex
    return start < end ? self[start..<end] : nil
  }

  /// Whether a text of libcurl may contain the proxy's password or a part of it: libcurl quotes URLs that it
  /// cannot use, and truncates long ones.
  fileprivate func mayBeGivenAway(by text: String) -> Bool {
    guard let credentials else { return false }
    let password = credentials.firstIndex(of: ":").map { credentials[$0...].dropFirst() } ?? ""
    return [credentials, password].contains { !$0.isEmpty && text.contains($0.prefix(4)) }
  }
}

extension TransportError.Code {
  fileprivate init(_ code: CURLcode, detail: String, ending transfer: CurlTransfer) {
    // Before the request is sent, only the proxy can have responded.
    let isWithProxy = !transfer.exchange.proxy.isEmpty && !transfer.isSent
    switch code {
    case CURLE_URL_MALFORMAT: self = .invalidRequest
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: self = .proxyFailure
    case CURLE_COULDNT_RESOLVE_HOST: self = .cannotResolveHost
    case CURLE_COULDNT_CONNECT: self = isWithProxy ? .proxyFailure : .cannotConnect
    case CURLE_OPERATION_TIMEDOUT: self = .timedOut
    case CURLE_SSL_CONNECT_ERROR where detail.tellsOfABrokenConnection: self = .cannotConnect
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED:
      self = .tlsFailure
    case CURLE_PARTIAL_FILE: self = .truncatedBody
    // Scheme and version come from this library, so libcurl does not support the response.
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
      self = .malformedResponse
    // libcurl's code for a line that is too long.
    case CURLE_OUT_OF_MEMORY: self = .responseTooLarge
    default: self = isWithProxy ? .proxyFailure : transfer.headIsComplete ? .truncatedBody : .connectionLost
    }
  }
}

extension String {
  /// Whether a handshake failed because the peer closed the connection. libcurl has no code for that, only
  /// the messages of OpenSSL and the system.
  fileprivate var tellsOfABrokenConnection: Bool {
    ["SSL_ERROR_SYSCALL", "unexpected eof", "Connection reset", "Broken pipe"].contains { contains($0) }
  }
}
