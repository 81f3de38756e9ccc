// SPDX-License-Identifier: Apache-2.0

/// An error of these libraries: its kind, what it is about, what happened, how long to wait, and its cause.
///
/// One `catch let error as any CodedError` handles them all; each type adds facts of its own. Two errors are equal when
/// everything but their causes is.
public protocol CodedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure; more may come, so a `switch` over them needs a default.
  associatedtype Code: Sendable, Hashable, CustomStringConvertible

  /// What the codes belong to: `identity` in `identity.notFound`, as it stands in machine output.
  static var domain: String { get }
  /// The kind of failure.
  var code: Code { get }
  /// The account, host, file or call that failed; empty when there is none in particular.
  var subject: String { get }
  /// What happened, as a half-sentence that names the way out where there is one. May hold words of a server, not
  /// cleaned for a terminal; never a secret.
  var detail: String { get }
  /// How long to wait before trying again; nil when that is not known.
  var retryAfter: Duration? { get }
  /// The error that caused this one, if any.
  var underlying: (any Error)? { get }
}

extension CodedError {
  public var subject: String { "" }
  public var retryAfter: Duration? { nil }
  public var underlying: (any Error)? { nil }

  public var description: String { subject.isEmpty ? detail : "\(subject): \(detail)" }

  public static func == (one: Self, other: Self) -> Bool {
    one.code == other.code && one.subject == other.subject && one.detail == other.detail
      && one.retryAfter == other.retryAfter
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(subject)
    hasher.combine(detail)
  }
}
