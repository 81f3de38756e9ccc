// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithRelationships

/// Adds a segment, or replaces its predicate.
public struct AddSegment: KithOperation {
  public static let name = "addSegment"

  public typealias Row = Never

  public var name: String
  public var predicate: String

  public init(_ name: String, _ predicate: String) {
    self.name = name
    self.predicate = predicate
  }

  public struct Outcome: OperationOutcome {
    public let name: String
    /// The other predicate that was replaced; nil if there was none.
    public let replaced: String?

    public var ending: Ending { .done }
    public var fields: [OutputField] {
      [OutputField]([
        "name": .string(name),
        "replaced": .text(replaced),
      ])
    }
  }

  /// - Throws: ``OperationError`` `invalidSegmentName`, `segmentRefersToItself` and `invalidPredicate`.
  public func run(in workspace: Workspace, _ report: Reporter<Never>) async throws -> Outcome {
    let store = try workspace.history()
    let now = workspace.time.instant
    guard let segment = Segment(name, predicate, since: now) else {
      throw OperationError.invalidSegmentName(name)
    }
    if segment.refers(to: name) { throw OperationError.segmentRefersToItself(name) }
    var known = Dictionary(try await store.segments().map { ($0.name, $0.predicate) }) { first, _ in first }
    let former = known.updateValue(predicate, forKey: name)
    // Parsing detects a segment that refers to itself.
    for text in known.values.sorted() where text == predicate || text.contains(name) {
      _ = try AccountPredicate(checking: text, now: Datetime(at: now), segments: known)
    }
    try await store.add(segment)
    await workspace.remember(
      "segments add", by: nil, changed: former != predicate, reversal: .segments([name: former]))
    return Outcome(name: name, replaced: former == predicate ? nil : former)
  }
}
