// SPDX-License-Identifier: Apache-2.0

/// An error of these libraries: its code, its subject, what happened, how long to wait, and its cause.
///
/// `catch let error as any CodedError` handles all of them; each type adds its own facts. Two errors are
/// equal if everything but their causes is equal.
public protocol CodedError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of failure. More may be added, so a `switch` over them needs a default.
  associatedtype Code: Sendable, Hashable, CustomStringConvertible

  /// The namespace of the codes: `identity` in `identity.notFound`, as it appears in machine-readable output.
  static var domain: String { get }
  /// The kind of failure.
  var code: Code { get }
  /// The account, host, file or call that failed; empty if there is none in particular.
  var subject: String { get }
  /// What happened, as a phrase that includes the remedy if there is one. It may contain a server's words,
  /// not cleaned for a terminal; it never contains a secret.
  var detail: String { get }
  /// How long to wait before trying again; nil if unknown.
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
