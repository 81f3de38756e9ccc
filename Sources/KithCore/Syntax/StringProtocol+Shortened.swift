// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
  /// Returns the text, or its beginning and an ellipsis if it is longer. Keeps text from others short in
  /// errors.
  ///
  /// The limit is in bytes, because one character can be of any size; the cut is between Unicode scalars.
  package func shortened(toBytes most: Int) -> String {
    guard utf8.count > most else { return String(self) }
    var length = most
    var end = utf8.index(utf8.startIndex, offsetBy: length)
    while utf8[end] & 0xc0 == 0x80 {
      length -= 1
      end = utf8.index(utf8.startIndex, offsetBy: length)
    }
    return self[..<end] + "…"
  }
}
