// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import CCurl

extension TransportError {
  /// Translates the code with which libcurl ended an exchange.
  ///
  /// - Parameters:
  ///   - headIsComplete: Whether the answer's head had come, so that only its body broke off.
  ///   - tunnel: The status with which a proxy answered CONNECT; 0 without one.
  init(_ code: CURLcode, for exchange: CurlExchange, detail: String, headIsComplete: Bool, tunnel: Int) {
    let refusedByProxy = tunnel != 0 && !(200..<300).contains(tunnel)
    let words = detail.isEmpty ? String(cString: curl_easy_strerror(code)) : detail
    self.init(
      refusedByProxy
        ? .proxyFailure
        : Code(code, isProxied: !exchange.proxy.isEmpty && tunnel == 0, headIsComplete: headIsComplete),
      host: exchange.host, detail: words)
  }
}

extension TransportError.Code {
  fileprivate init(_ code: CURLcode, isProxied: Bool, headIsComplete: Bool) {
    switch code {
    case CURLE_URL_MALFORMAT: self = .invalidRequest
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY: self = .proxyFailure
    case CURLE_COULDNT_RESOLVE_HOST: self = .cannotResolveHost
    case CURLE_COULDNT_CONNECT: self = isProxied ? .proxyFailure : .cannotConnect
    case CURLE_OPERATION_TIMEDOUT: self = .timedOut
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
    default: self = headIsComplete ? .truncatedBody : .connectionLost
    }
  }
}
