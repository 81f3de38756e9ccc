// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// What an exchange ended with, whole or yet to be read.
protocol HTTPAnswer {
  /// Status and header fields.
  var head: HTTPResponse { get }
}

extension TransportResponse: HTTPAnswer {}

extension Result where Success: HTTPAnswer, Failure == TransportError {
  /// Whether the answer is 429.
  var isRateLimited: Bool {
    if case .success(let response) = self { response.head.status.code == 429 } else { false }
  }

  /// Whether a limit of time ran out.
  var isTimeout: Bool {
    if case .failure(let error) = self { error.code == .timedOut } else { false }
  }

  /// Whether no other call to the host would fare better, though repeating does not help either.
  var barsAll: Bool {
    if case .failure(let error) = self {
      error.code == .tlsFailure || error.code == .proxyFailure
    } else {
      false
    }
  }
}

extension HostFault {
  /// What went wrong with the host; nil for an answer, whatever it says, that shows the host to be well.
  init?(_ result: Result<some HTTPAnswer, TransportError>) {
    switch result {
    case .failure(let error): self = .transport(error)
    case .success(let response):
      let status = response.head.status.code
      guard RetryPolicy.passingStatuses.contains(status) else { return nil }
      self = .status(status)
    }
  }
}

extension HostTraffic.Outcome {
  /// Reads the end of an exchange as the host's traffic needs it.
  ///
  /// - Parameter microsecondsSinceEpoch: the time of reading.
  init(_ result: Result<some HTTPAnswer, TransportError>, at microsecondsSinceEpoch: Int64) {
    switch result {
    case .failure(let error): self = .broken(error)
    case .success(let response):
      let limit = RateLimit(ofCaller: response.head.headerFields, at: microsecondsSinceEpoch)
      switch response.head.status.code {
      case 429: self = .refused(limit)
      case let status where RetryPolicy.passingStatuses.contains(status):
        self = .failed(status: status, limit)
      default: self = .answered(limit)
      }
    }
  }
}
