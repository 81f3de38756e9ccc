// SPDX-License-Identifier: Apache-2.0

/// How well a host is known, which determines how often a failing call is retried.
enum HostReputation: Sendable, Hashable {
  /// It never responded.
  case unknown
  /// It was reached, but never gave a good response.
  case reachable
  /// It has given a good response.
  case trusted
}
