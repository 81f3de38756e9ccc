// SPDX-License-Identifier: Apache-2.0

/// What a host did instead of answering well.
enum HostFault: Sendable, Hashable {
  /// No whole answer came.
  case transport(TransportError)
  /// It answered 5xx.
  case status(Int)

  /// What happened, as a half-sentence.
  var words: String {
    switch self {
    case .transport(let error): error.detail
    case .status(let status): "it answered \(status)"
    }
  }
}

/// Why a call was not sent.
enum TrafficRefusal: Error, Sendable, Hashable {
  /// The rate limit would hold it for longer than it may wait.
  case rateLimited(wait: Duration)
  /// The host has failed and is left alone for a while.
  ///
  /// - Parameters:
  ///   - cause: what the last call met.
  ///   - ago: how long ago that was.
  ///   - wait: how long until it is tried again.
  case resting(cause: HostFault, ago: Duration, wait: Duration)

  /// What a user should know, as a half-sentence.
  var words: String {
    switch self {
    case .rateLimited(let wait):
      "not sent: the rate limit is used up; it resets in \(wait.inWords)"
    case .resting(let cause, let ago, let wait):
      "not sent: \(cause.words) when it was last tried, \(ago.inWords) ago; the next try is in \(wait.inWords)"
    }
  }
}

extension Duration {
  /// `4 min 50 s`; `12 s`; `0.3 s`: what a reader needs, no more.
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
