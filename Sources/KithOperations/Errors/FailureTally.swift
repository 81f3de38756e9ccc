// SPDX-License-Identifier: Apache-2.0

/// Collects the errors of the rows of a run.
public struct FailureTally: Sendable {
  /// The kind of the most severe error; nil if there was none.
  public private(set) var kind: FailureKind?
  /// The number of failed lookups. An invalid name is none: it is reported by itself.
  public private(set) var count = 0
  /// The error of the first failed lookup.
  public private(set) var first: (any Error)?

  public init() {}

  public mutating func add(_ error: any Error) {
    let kind = FailureKind(error) ?? .internalError
    self.kind = kind.orMoreSevere(self.kind)
    guard kind != .invalidInput else { return }
    count += 1
    first = first ?? error
  }
}
