// SPDX-License-Identifier: Apache-2.0

/// Why something that a ``GraphWriter`` was asked for is not so.
public enum ChangeFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// It was not tried.
  case refused(ChangeRefusal)
  /// The repository did not take it, or could not be asked; in doubt where its code is
  /// ``RepositoryError/Code/inDoubt``.
  case failed(RepositoryError)

  public var description: String {
    switch self {
    case .refused(let refusal): refusal.description
    case .failed(let error): error.description
    }
  }

  /// Whether it may have happened all the same.
  public var isInDoubt: Bool {
    if case .failed(let error) = self { error.code == .inDoubt } else { false }
  }
}
