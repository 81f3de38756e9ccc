// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension TransportError {
  /// Converts the error with which a task ended.
  ///
  /// - Parameter afterHead: Whether the head of the response had arrived.
  init(_ error: any Error, host: String, afterHead: Bool) {
    let code = (error as? URLError)?.code
    self.init(
      code.map { Code($0, afterHead: afterHead) } ?? .connectionLost, host: host,
      detail: error.localizedDescription)
  }
}

extension TransportError.Code {
  fileprivate init(_ code: URLError.Code, afterHead: Bool) {
    switch code {
    case .badURL, .appTransportSecurityRequiresSecureConnection: self = .invalidRequest
    case .cannotFindHost, .dnsLookupFailed: self = .cannotResolveHost
    case .cannotConnectToHost, .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
      self = .cannotConnect
    case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
      .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
      .clientCertificateRequired:
      self = .tlsFailure
    case .timedOut: self = .timedOut
    case .dataLengthExceedsMaximum: self = .responseTooLarge
    // The scheme was checked before: FoundationNetworking reports a response that is not HTTP so.
    case .unsupportedURL, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData:
      self = .malformedResponse
    default: self = afterHead ? .truncatedBody : .connectionLost
    }
  }
}
