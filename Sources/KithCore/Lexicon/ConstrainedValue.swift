// SPDX-License-Identifier: Apache-2.0

/// A value with lexicon constraints beyond its Swift type.
public protocol ConstrainedValue {
  /// Checks the value and its contents against the constraints of the lexicon.
  ///
  /// - Throws: ``ValidationError`` with the path of the first fault.
  func validate() throws(ValidationError)
}
