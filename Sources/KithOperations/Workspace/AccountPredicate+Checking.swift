// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

extension AccountPredicate {
  /// Parses a predicate that a person wrote.
  ///
  /// - Throws: ``OperationError`` `invalidPredicate` with the position of a syntax error.
  public init(checking text: String, now: Datetime, segments: [String: String]) throws(OperationError) {
    do throws(PredicateError) {
      self = try AccountPredicate(parsing: text, now: now, segments: segments)
    } catch {
      throw .invalidPredicate(text, error)
    }
  }
}

extension OperationError {
  package static func invalidPredicate(_ text: String, _ error: PredicateError) -> OperationError {
    let text = text.shortened(toBytes: 256)
    return OperationError(
      .invalidPredicate, .usage, "error in \"\(text)\" at \(error)",
      ["input": .string(text), "position": .integer(error.position)])
  }
}
