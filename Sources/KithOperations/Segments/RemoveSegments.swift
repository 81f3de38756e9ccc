// SPDX-License-Identifier: Apache-2.0

import KithHistory

/// Removes segments and their counts: all, or none if one of them cannot be removed.
public struct RemoveSegments: KithOperation {
  public static let name = "removeSegments"

  public typealias Row = Never

  public var names: [String]

  public init(_ names: [String]) { self.names = names }

  public struct Outcome: OperationOutcome {
    public let removed: Int

    public var ending: Ending { .done }
    public var fields: [OutputField] {
      [OutputField]([
        "removed": .integer(removed)
      ])
    }
  }

  /// - Throws: ``OperationError`` `noSuchSegment`, and `segmentInUse` if another segment refers to one of them.
  public func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Outcome {
    let store = try workspace.history()
    let segments = try await store.segments()
    for name in names {
      guard segments.contains(where: { $0.name == name }) else {
        throw OperationError.noSuchSegment(name, known: segments.map(\.name))
      }
      let users = segments.filter { !names.contains($0.name) && $0.refers(to: name) }.map(\.name)
      guard users.isEmpty else { throw OperationError.segmentInUse(name, by: users) }
    }
    for name in names { try await store.removeSegment(named: name) }
    let removed = segments.filter { names.contains($0.name) }.map { ($0.name, String?.some($0.predicate)) }
    await workspace.remember(
      "segments remove", by: nil, changed: !removed.isEmpty,
      reversal: .segments(Dictionary(removed) { first, _ in first }))
    return Outcome(removed: Set(names).count)
  }
}
