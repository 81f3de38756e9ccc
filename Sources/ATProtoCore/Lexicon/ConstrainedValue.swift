// SPDX-License-Identifier: Apache-2.0

/// A value that its lexicon limits further than its Swift type does.
public protocol ConstrainedValue {
  /// Checks the value, and what it holds, against the lexicon's limits.
  ///
  /// - Throws: ``ValidationError`` with the path of the first fault.
  func validate() throws(ValidationError)
}
