// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore

/// Sessions in a storage of one's own, such as the keychain of the system.
public actor SessionKeychain: SessionStore {
  /// What a keychain does: data by name, in one write. Nil removes it.
  public struct Storage: Sendable {
    public var read: @Sendable (_ name: String) throws -> Data?
    public var write: @Sendable (_ name: String, _ data: Data?) throws -> Void

    public init(
      read: @escaping @Sendable (_ name: String) throws -> Data?,
      write: @escaping @Sendable (_ name: String, _ data: Data?) throws -> Void
    ) {
      (self.read, self.write) = (read, write)
    }
  }

  private let storage: Storage
  private var waiting: [DID: [CheckedContinuation<Void, Never>]] = [:]
  private var held: Set<DID> = []

  public init(_ storage: Storage) { self.storage = storage }

  public func session(of account: DID) throws -> Session? {
    try storage.read("\(account)").map { try JSONDecoder().decode(Session.self, from: $0) }
  }

  public func save(_ session: Session) throws {
    try storage.write("\(session.did)", try JSONEncoder().encode(session))
    try write(accounts: try accounts().filter { $0 != session.did } + [session.did])
  }

  public func remove(_ account: DID) throws {
    try storage.write("\(account)", nil)
    try write(accounts: try accounts().filter { $0 != account })
  }

  public func accounts() throws -> [DID] {
    try storage.read("accounts").map { try JSONDecoder().decode([DID].self, from: $0) } ?? []
  }

  private func write(accounts: [DID]) throws {
    try storage.write("accounts", try JSONEncoder().encode(accounts))
  }

  public func current() throws -> DID? {
    try storage.read("current").map { try JSONDecoder().decode(DID.self, from: $0) }
  }

  public func setCurrent(_ account: DID) throws {
    try storage.write("current", try JSONEncoder().encode(account))
  }

  public func clearCurrent(ifIs account: DID) throws {
    if try current() == account { try storage.write("current", nil) }
  }

  /// One caller at a time for each account, in this process: the keychain of an app has no others.
  public nonisolated func withExclusiveAccess<Value: Sendable>(
    to account: DID, _ body: @concurrent @Sendable () async throws -> Value
  ) async throws -> Value {
    await enter(account)
    do {
      let value = try await body()
      await leave(account)
      return value
    } catch {
      await leave(account)
      throw error
    }
  }

  private func enter(_ account: DID) async {
    if held.insert(account).inserted { return }
    // It is handed on by the one that leaves.
    await withCheckedContinuation { waiting[account, default: []].append($0) }
  }

  private func leave(_ account: DID) {
    guard var queue = waiting[account], !queue.isEmpty else {
      held.remove(account)
      return
    }
    let next = queue.removeFirst()
    waiting[account] = queue
    next.resume()
  }
}
