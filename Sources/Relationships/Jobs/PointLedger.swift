// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore

/// Who keeps account of the points that each account spent, over all jobs and processes.
public protocol PointLedger: Sendable {
  /// What the account may spend.
  ///
  /// - Parameter now: microseconds since 1970.
  func budget(of account: DID, within allowance: PointAllowance, at now: Int64) async throws -> PointBudget

  /// Writes down points that were spent outside of jobs.
  ///
  /// - Parameter now: microseconds since 1970.
  func spend(_ points: Int, of account: DID, at now: Int64) async throws

  /// Writes down what the server said, so that all processes know; what is not about points is passed over.
  ///
  /// - Parameter now: when it said so, in microseconds since 1970.
  func observed(_ rateLimit: RateLimit, of account: DID, at now: Int64) async throws
}
