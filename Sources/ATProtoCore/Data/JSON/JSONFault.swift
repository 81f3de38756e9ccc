// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not a document of the data model: what is wrong, and at which byte of the document.
package struct JSONFault: Error, Hashable, CustomStringConvertible {
  /// What is wrong, as a half-sentence.
  package let reason: String
  /// A count of bytes from the start of the document.
  package let offset: Int

  init(_ reason: String, at offset: Int) {
    self.reason = reason
    self.offset = offset
  }

  package var description: String { "\(reason) at byte \(offset)" }
}
