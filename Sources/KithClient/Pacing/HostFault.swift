// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// What a host did instead of a good response.
enum HostFault: Sendable, Hashable {
  /// There was no complete response.
  case transport(TransportError)
  /// It answered 5xx.
  case status(Int)

  /// What happened, as a phrase.
  var words: String {
    switch self {
    case .transport(let error): error.detail
    case .status(let status): "it answered \(status)"
    }
  }
}

/// Why a call was not sent.
enum TrafficRefusal: Error, Sendable, Hashable {
  /// The rate limit would hold it longer than it may wait.
  case rateLimited(wait: Duration)
  /// The circuit of the host is open.
  ///
  /// - Parameters:
  ///   - cause: The failure of the last call.
  ///   - ago: How long ago that was.
  ///   - wait: How long until the host is tried again.
  case resting(cause: HostFault, ago: Duration, wait: Duration)

  /// The reason for people, as a phrase.
  var words: String {
    switch self {
    case .rateLimited(let wait):
      "not sent: rate limit exhausted, resets in \(wait.inWords)"
    case .resting(let cause, let ago, let wait):
      "not sent: the host failed \(ago.inWords) ago: \(cause.words); next attempt in \(wait.inWords)"
    }
  }
}

extension Duration {
  /// Formats a duration for people, rounded: `4 min 50 s`; `12 s`; `0.3 s`.
  package var inWords: String {
    let milliseconds = max(0, inMilliseconds)
    if milliseconds < 10_000 {
      let tenths = (milliseconds + 50) / 100
      return tenths % 10 == 0 ? "\(tenths / 10) s" : "\(tenths / 10).\(tenths % 10) s"
    }
    let seconds = (milliseconds + 999) / 1_000
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 3_600 { return "\(seconds / 60) min" + (seconds % 60 == 0 ? "" : " \(seconds % 60) s") }
    return "\(seconds / 3_600) h" + (seconds / 60 % 60 == 0 ? "" : " \(seconds / 60 % 60) min")
  }
}
