// SPDX-License-Identifier: Apache-2.0

/// Collects the errors of the rows of a run.
package struct FailureTally: Sendable {
  /// The kind of the most severe error; nil if there was none.
  package private(set) var kind: FailureKind?
  /// The number of failed lookups. An invalid name is none: it is reported by itself.
  package private(set) var count = 0
  /// The error of the first failed lookup.
  package private(set) var first: (any Error)?

  package init() {}

  package mutating func add(_ error: any Error) {
    let kind = FailureKind(error) ?? .internalError
    self.kind = kind.orMoreSevere(self.kind)
    guard kind != .invalidInput else { return }
    count += 1
    first = first ?? error
  }
}
