// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Says in one line what is wrong with an answer, and where.
package struct DecodingFault: CustomStringConvertible {
  package let description: String

  package init(_ error: any Error) {
    switch error {
    case DecodingError.dataCorrupted(let context):
      description = Self.line(context.codingPath, context.debugDescription)
    case DecodingError.keyNotFound(let key, let context):
      description = Self.line(context.codingPath, "\"\(key.stringValue)\" is missing")
    case DecodingError.typeMismatch(_, let context):
      description = Self.line(context.codingPath, context.debugDescription)
    case DecodingError.valueNotFound(_, let context):
      description = Self.line(context.codingPath, context.debugDescription)
    default:
      description = "\(error)"
    }
  }

  private static func line(_ path: [any CodingKey], _ reason: String) -> String {
    var place = ""
    for key in path {
      if let index = key.intValue {
        place += "[\(index)]"
      } else {
        place += (place.isEmpty ? "" : ".") + key.stringValue
      }
    }
    return place.isEmpty ? reason : "\(place): \(reason)"
  }
}

extension Error {
  /// Whether what could not be read is no sound JSON at all, rather than JSON of another shape.
  var isOfTheDocument: Bool {
    guard let error = self as? DecodingError, case .dataCorrupted(let context) = error else { return false }
    return context.underlyingError is JSONFault
  }
}
