// SPDX-License-Identifier: Apache-2.0

/// Where the next page begins. Its text is opaque to clients: `120`, or `120e` for an empty page before it.
struct PageCursor: Hashable {
  /// How many elements stand before it, shown or not.
  let position: Int
  /// Whether a page without elements comes first.
  let isBeforeEmptyPage: Bool

  init(position: Int, isBeforeEmptyPage: Bool = false) {
    self.position = position
    self.isBeforeEmptyPage = isBeforeEmptyPage
  }

  /// Reads what a client sends back; nothing is the first page.
  ///
  /// - Throws: ``XRPCFault`` for a cursor that no page ended with.
  init(_ text: String?) throws(XRPCFault) {
    let digits = text?.prefix { $0.isASCII && $0.isNumber } ?? "0"
    let rest = text?.dropFirst(digits.count) ?? ""
    guard let position = Int(digits), rest.isEmpty || rest == "e" else {
      throw .invalidRequest("Malformed cursor")
    }
    self.init(position: position, isBeforeEmptyPage: rest == "e")
  }

  var text: String { "\(position)\(isBeforeEmptyPage ? "e" : "")" }
}
