// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import CCurl

extension TransportError {
  /// Translates the code with which libcurl ended an exchange.
  ///
  /// - Parameter tunnel: The status with which a proxy answered CONNECT; 0 without one.
  init(_ code: CURLcode, ending transfer: CurlTransfer, detail: String, tunnel: Int) {
    let exchange = transfer.exchange
    if tunnel != 0, !(200..<300).contains(tunnel) {
      self.init(proxyStatus: tunnel, for: exchange)
    } else {
      let isShowable = !detail.isEmpty && !exchange.proxy.mayBeGivenAway(by: detail)
      self.init(
        Code(code, detail: detail, ending: transfer), host: exchange.host,
        detail: isShowable ? detail : String(cString: curl_easy_strerror(code)))
    }
  }

  /// Tells of a proxy that refused.
  init(proxyStatus status: Int, for exchange: CurlExchange) {
    let way = "http_proxy and https_proxy take them as http://USER:PASSWORD@HOST:PORT"
    let words =
      switch (status, exchange.proxy.credentials) {
      case (407, nil): "it wants a user name and a password; \(way)"
      case (407, _): "it does not take the user name and the password that it was given; \(way)"
      default: "it answered \(status)"
      }
    self.init(.proxyRefused, host: exchange.host, detail: words)
  }
}

extension String {
  /// What stands before the @ in a proxy's URL.
  fileprivate var credentials: Substring? {
    guard let end = lastIndex(of: "@") else { return nil }
    let start = firstRange(of: "://").map(\.upperBound) ?? startIndex
    return start < end ? self[start..<end] : nil
  }

  /// Whether a text of libcurl's may hold the proxy's password, be it a part of it: it quotes URLs that it
  /// cannot use, and cuts long ones off.
  fileprivate func mayBeGivenAway(by text: String) -> Bool {
    guard let credentials else { return false }
    let password = credentials.firstIndex(of: ":").map { credentials[$0...].dropFirst() } ?? ""
    return [credentials, password].contains { !$0.isEmpty && text.contains($0.prefix(4)) }
  }
}

extension TransportError.Code {
  fileprivate init(_ code: CURLcode, detail: String, ending transfer: CurlTransfer) {
    // Until the request is on its way, nobody but the proxy has answered.
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
    // Scheme and version are ours, so it is the answer that libcurl does not support.
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
      self = .malformedResponse
    // So libcurl says of a line longer than it reads.
    case CURLE_OUT_OF_MEMORY: self = .responseTooLarge
    default: self = isWithProxy ? .proxyFailure : transfer.headIsComplete ? .truncatedBody : .connectionLost
    }
  }
}

extension String {
  /// Whether a handshake failed because the peer went away in it. libcurl has no code for that, but OpenSSL's
  /// and the system's words.
  fileprivate var tellsOfABrokenConnection: Bool {
    ["SSL_ERROR_SYSCALL", "unexpected eof", "Connection reset", "Broken pipe"].contains { contains($0) }
  }
}
