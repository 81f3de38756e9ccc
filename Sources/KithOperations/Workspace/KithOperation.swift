// SPDX-License-Identifier: Apache-2.0

public import KithRelationships

/// One thing that Kith does: a request that is run in a workspace, says what it finds, and ends with an outcome.
///
/// It does not know its caller. Several run at once in one process.
public protocol KithOperation: Sendable {
  /// What it is called in lists, routes and logs, such as `checkRelationships`. Names are added, but never change.
  static var name: String { get }

  /// A piece of its result.
  associatedtype Row: Sendable
  /// What it came to, and how it ended.
  associatedtype Outcome: OperationOutcome

  /// Runs the operation.
  ///
  /// An operation whose task is cancelled returns what it has, with an outcome that says so.
  /// - Throws: if it could not begin.
  func run(in workspace: Workspace, _ report: Reporter<Row>) async throws -> Outcome
}

extension KithOperation where Row == Never {
  /// Runs an operation that has no rows.
  public func run(
    in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void = { _ in }
  ) async throws -> Outcome {
    try await run(in: workspace, Reporter(rows: { _ in }, note: note))
  }
}

/// An operation that can say what it would cost.
public protocol EstimatedOperation: KithOperation {
  /// What it would cost; reads counts at most.
  ///
  /// - Parameter note: receives what is wrong with the request.
  func cost(in workspace: Workspace, _ note: @escaping @Sendable (Note) -> Void) async throws -> CostPlan
}
