// SPDX-License-Identifier: Apache-2.0

/// The shape of the errors that these libraries throw: of what kind, about whom or what, in which words, how long to
/// wait, and what lies underneath.
///
/// One `catch let error as any CodedError` serves them all; each has further facts of its own. Two are equal when they
/// say the same of the same, whatever lies underneath.
public protocol CodedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure; more may come, so a `switch` over them needs a default.
  associatedtype Code: Sendable, Hashable, CustomStringConvertible

  /// What the error is one of: `identity` in `identity.notFound`, as machine output names it.
  static var domain: String { get }
  /// The kind of failure.
  var code: Code { get }
  /// Whom or what it concerns; empty where it is nobody in particular.
  var subject: String { get }
  /// What happened, as a half-sentence that names the way out where there is one. May hold words of a server, not
  /// cleaned for a terminal; never a secret.
  var detail: String { get }
  /// How long to wait before asking again; nil where nobody said.
  var retryAfter: Duration? { get }
  /// What lies underneath, where there is something.
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
