// SPDX-License-Identifier: Apache-2.0

/// The start of the next page. Its text is opaque to clients: `120`, or `120e` if an empty page comes first.
struct PageCursor: Hashable {
  /// The number of elements before it, visible or hidden.
  let position: Int
  /// Whether an empty page comes first.
  let isBeforeEmptyPage: Bool

  init(position: Int, isBeforeEmptyPage: Bool = false) {
    self.position = position
    self.isBeforeEmptyPage = isBeforeEmptyPage
  }

  /// Parses the cursor sent by a client; nil is the first page.
  ///
  /// - Throws: ``XRPCFault`` for an invalid cursor.
  init(_ text: String?) throws(XRPCFault) {
    let digits = text?.prefix { $0.isASCII && $0.isNumber } ?? "0"
    let remaining = text?.dropFirst(digits.count) ?? ""
    guard let position = Int(digits), remaining.isEmpty || remaining == "e" else {
      throw .invalidRequest("Malformed cursor")
    }
    self.init(position: position, isBeforeEmptyPage: remaining == "e")
  }

  var text: String { "\(position)\(isBeforeEmptyPage ? "e" : "")" }
}
