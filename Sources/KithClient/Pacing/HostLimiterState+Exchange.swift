// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import KithCore

/// The response of an exchange, complete or with its body still to be read.
protocol HTTPAnswer {
  /// Status and header fields.
  var head: HTTPResponse { get }
}

extension TransportResponse: HTTPAnswer {}

extension Result where Success: HTTPAnswer, Failure == TransportError {
  /// Whether the response is a 429.
  var isRateLimited: Bool {
    if case .success(let response) = self { response.head.status.code == 429 } else { false }
  }

  /// Whether a time limit was exceeded.
  var isTimeout: Bool {
    if case .failure(let error) = self { error.code == .timedOut } else { false }
  }

  /// Whether all other calls to the host would fail too, although a retry does not help.
  var barsAll: Bool {
    if case .failure(let error) = self {
      error.code == .tlsFailure || error.code == .proxyFailure
    } else {
      false
    }
  }
}

extension HostFault {
  /// Returns what is wrong with the host; nil for a response, even an error, that shows the host is working.
  init?(_ result: Result<some HTTPAnswer, TransportError>) {
    switch result {
    case .failure(let error): self = .transport(error)
    case .success(let response):
      let status = response.head.status.code
      guard RetryPolicy.mayPass(status) else { return nil }
      self = .status(status)
    }
  }
}

extension HostLimiterState.Outcome {
  /// Converts the result of an exchange.
  ///
  /// - Parameter now: The current time.
  init(_ result: Result<some HTTPAnswer, TransportError>, at now: Instant) {
    switch result {
    case .failure(let error): self = .broken(error)
    case .success(let response):
      let limit = RateLimit(ofCaller: response.head.headerFields, at: now)
      switch response.head.status.code {
      case 429: self = .refused(limit)
      case let status where RetryPolicy.mayPass(status):
        self = .failed(status: status, limit)
      default: self = .answered(limit)
      }
    }
  }
}
