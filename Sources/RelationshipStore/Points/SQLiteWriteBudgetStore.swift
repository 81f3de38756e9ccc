// SPDX-License-Identifier: Apache-2.0

public import ATProtoClient
public import ATProtoCore
internal import GRDB
public import RelationshipWriting

/// The points of all accounts, in the file that all processes share.
public struct SQLiteWriteBudgetStore: WriteBudgetStore {
  private let database: StoreDatabase

  /// Makes a ledger.
  public init(_ database: StoreDatabase) { self.database = database }

  public func budget(
    of account: DID, within allowance: WriteLimit, at now: Int64
  ) async throws -> WriteBudget {
    try await database.read {
      try BudgetTables(database: $0).budget(of: account.description, within: allowance, at: now)
    }
  }

  public func spend(_ points: Int, of account: DID, at now: Int64) async throws {
    try await database.write {
      try BudgetTables(database: $0).spend(points, of: account.description, at: now)
    }
  }

  public func observed(_ rateLimit: RateLimit, of account: DID, at now: Int64) async throws {
    guard let reading = WriteBudgetReading(rateLimit, at: now) else { return }
    try await database.write { try BudgetTables(database: $0).observe(reading, of: account.description) }
  }
}
