// SPDX-License-Identifier: Apache-2.0

extension DecodingError {
  var context: Context? {
    switch self {
    case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
      .dataCorrupted(let context):
      context
    @unknown default: nil
    }
  }

  /// The coding path joined by dots, indexes as text.
  var place: String {
    (context?.codingPath ?? []).map { $0.intValue.map { String($0) } ?? $0.stringValue }.joined(
      separator: ".")
  }
}
