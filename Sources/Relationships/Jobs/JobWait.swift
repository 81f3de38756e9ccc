// SPDX-License-Identifier: Apache-2.0

/// What a job waits for.
public enum JobWait: Sendable, Hashable {
  /// Points of the write budget.
  case budget
  /// The server, which asked for it.
  case rateLimit
  /// A server that could not be reached or failed, as a half-sentence.
  case trouble(String)
}
