// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithInsights
import KithOperations
import SandboxSupport
import Testing

extension ServedUser {
  /// Computes metrics of one of the cast.
  ///
  /// - Parameter change: changes the request.
  func statistics(
    of name: String = "alice", _ metrics: Set<InsightMetric>,
    _ change: (inout ComputeStatistics) -> Void = { _ in }
  ) async throws -> OperationRun<ComputeStatistics> {
    var request = ComputeStatistics(of: try did(name), metrics)
    change(&request)
    return try await run(request)
  }

  /// The figures of a run in which nothing failed.
  func figures(
    of name: String = "alice", _ metrics: Set<InsightMetric>,
    _ change: (inout ComputeStatistics) -> Void = { _ in }
  ) async throws -> [Figure] {
    let run = try await statistics(of: name, metrics, change)
    #expect(run.outcome.failure == nil && run.outcome.rows.interruption == nil)
    return run.figures
  }

  /// Takes whole snapshots, none of which fails.
  @discardableResult
  func takeSnapshots(
    of names: [String] = ["alice"], sides: Set<HistoryListing.Side>? = nil, dates: Bool = false
  ) async throws -> [Snapshot] {
    let accounts = try names.map { try did($0) }
    let run = try await run(
      TakeSnapshots(of: .these(accounts), sides: sides, .init(isFull: true, dates: dates)))
    #expect(run.outcome.summary.failure == nil && run.outcome.rows.interruption == nil)
    return run.rows.map(\.snapshot)
  }
}

extension OperationRun {
  /// The number of calls.
  var callCount: Int { calls.values.reduce(0, +) }
}

extension OperationRun<ComputeStatistics> {
  var figures: [Figure] { rows.map(\.figure) }
}

extension [Figure] {
  /// The last known value of each key of a metric.
  func values(_ metric: InsightMetric) -> [String: Double] {
    let known = filter { $0.metric == metric }.compactMap { figure in figure.value.map { (figure.key, $0) } }
    return Dictionary(known) { _, last in last }
  }

  /// The sum of the known values of a key.
  func sum(_ key: String) -> Double { filter { $0.key == key }.compactMap(\.value).reduce(0, +) }
}
