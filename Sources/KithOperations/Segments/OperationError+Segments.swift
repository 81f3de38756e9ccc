// SPDX-License-Identifier: Apache-2.0

extension OperationError {
  package static func invalidSegmentName(_ name: String) -> OperationError {
    OperationError(
      .invalidSegmentName, .usage,
      "\"\(name)\" is not a valid segment name; use letters, digits, - and _ (64 characters at most)",
      ["name": .string(name)])
  }

  package static func segmentRefersToItself(_ name: String) -> OperationError {
    OperationError(
      .segmentRefersToItself, .usage, "segment \(name) would contain itself", ["name": .string(name)])
  }

  package static func noSuchSegment(_ name: String, known: [String]) -> OperationError {
    OperationError(
      .noSuchSegment, .notFound,
      "there is no segment \"\(name)\"; "
        + (known.isEmpty ? "no segments exist" : "known segments: \(known.joined(separator: ", "))"),
      ["name": .string(name), "known": .array(known.map { .string($0) })])
  }

  package static func segmentInUse(_ name: String, by others: [String]) -> OperationError {
    OperationError(
      .segmentInUse, .usage,
      "segment \(name) is used by \(others.joined(separator: ", ")); remove that first",
      ["name": .string(name), "by": .array(others.map { .string($0) })])
  }
}
