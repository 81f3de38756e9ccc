// SPDX-License-Identifier: Apache-2.0

// Phrases of errors as sentences for people who use an app.

extension String {
  /// The phrase with a capital first letter and a period.
  package var asSentence: String { (prefix(1).uppercased() + dropFirst()).withPeriod }

  /// The phrase with a period, unless it ends a sentence already.
  package var withPeriod: String { last.map { ".!?".contains($0) } ?? true ? self : self + "." }

  /// The sentence for an exhausted rate limit.
  ///
  /// - Parameter wait: how long the server asked to wait; nil if it did not say.
  package static func tooManyRequests(_ wait: Duration?) -> String {
    "Too many requests; try again " + (wait.map { "in \($0.roundedUp)." } ?? "later.")
  }
}

extension Duration {
  /// A wait, rounded up to one unit so that a retry is not too early: `40 s`, `15 min`, `3 h`.
  package var roundedUp: String {
    let (whole, fraction) = components
    let seconds = max(1, whole + (fraction > 0 ? 1 : 0))
    return switch seconds {
    case ..<120: "\(seconds) s"
    case ..<7_200: "\((seconds + 59) / 60) min"
    default: "\((seconds + 3_599) / 3_600) h"
    }
  }
}
