// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error of these libraries: its code, its subject, what happened, how long to wait, and its cause.
///
/// `catch let error as any CodedError` handles all of them; each type adds its own facts. Two errors are
/// equal if everything but their causes is equal.
///
/// `description` is for logs and developers: it may name hosts and methods. `errorDescription`, which
/// `localizedDescription` returns, is one English sentence for the person who uses an app.
public protocol CodedError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
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
  /// What happened, as one English sentence for the person who uses an app, without addresses of servers.
  ///
  /// By default the description as a sentence.
  var errorDescription: String? { get }
  /// Whether the same may succeed later without a change by anyone. Whether a repetition is safe is up to the caller.
  ///
  /// By default as for the cause; false without one.
  var isTransient: Bool { get }
  /// Whether this machine seems to have no connection.
  ///
  /// By default as for the cause; false without one.
  var isOffline: Bool { get }
}

extension CodedError {
  public var subject: String { "" }
  public var retryAfter: Duration? { nil }
  public var underlying: (any Error)? { nil }

  public var isTransient: Bool { codedCause?.isTransient ?? false }
  public var isOffline: Bool { codedCause?.isOffline ?? false }

  public var errorDescription: String? {
    subject.isEmpty ? description.asSentence : description.withPeriod
  }

  // Those of Foundation are seen only where it is imported.
  public var failureReason: String? { nil }
  public var recoverySuggestion: String? { nil }
  public var helpAnchor: String? { nil }

  /// The cause, if it is an error of these libraries.
  package var codedCause: (any CodedError)? { underlying as? any CodedError }

  /// The sentence of the cause; nil without a cause of these libraries.
  package var sentenceOfCause: String? { codedCause?.errorDescription }

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

/// The code of an error that has only one kind: a text or value is not valid. More may be added, so a `switch`
/// needs a default.
public struct InvalidValueCode: Sendable, Hashable, CustomStringConvertible {
  public let description: String

  /// The text or value does not fit its syntax or its limits.
  public static let invalid = InvalidValueCode(description: "invalid")
}
