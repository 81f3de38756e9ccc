// SPDX-License-Identifier: Apache-2.0

/// What is wrong with a document, and where, in one line.
package struct DecodingFault: CustomStringConvertible {
  /// The property names and array indexes from the root of the document: `relationships[1].did`; empty for
  /// the root.
  package let path: String
  /// What is wrong, as a phrase.
  package let reason: String

  package var description: String { path.isEmpty ? reason : "\(path): \(reason)" }

  package init(_ error: any Error) {
    switch error {
    case DecodingError.dataCorrupted(let context):
      self.init(context, context.debugDescription)
    case DecodingError.keyNotFound(let key, let context):
      self.init(context, "\"\(key.stringValue)\" is missing")
    case DecodingError.typeMismatch(_, let context):
      self.init(context, context.debugDescription)
    case DecodingError.valueNotFound(_, let context):
      self.init(context, context.debugDescription)
    default:
      self.init(path: "", reason: "\(error)")
    }
  }

  private init(_ context: DecodingError.Context, _ reason: String) {
    var place = ""
    for key in context.codingPath {
      if let index = key.intValue {
        place += "[\(index)]"
      } else {
        place += (place.isEmpty ? "" : ".") + key.stringValue
      }
    }
    self.init(path: place, reason: reason)
  }

  private init(path: String, reason: String) {
    self.path = path
    self.reason = reason
  }
}

extension Error {
  /// Whether the data is not valid JSON at all, rather than JSON of another shape.
  package var isOfTheDocument: Bool { jsonFault?.kind == .document }

  /// Whether the data exceeds a limit.
  package var isBeyondBounds: Bool { jsonFault?.kind == .size }

  private var jsonFault: JSONFault? {
    guard let error = self as? DecodingError, case .dataCorrupted(let context) = error else { return nil }
    return context.underlyingError as? JSONFault
  }
}
