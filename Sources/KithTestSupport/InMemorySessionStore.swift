// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

/// Sessions in memory with a real lock; shared by several keepers as files are by processes.
public actor InMemorySessionStore: SessionStore {
  private var sessions: [DID: Session] = [:]
  private var chosen: DID?
  private var isLocked = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var fault: SessionError?
  /// How often a session was stored.
  public private(set) var saves = 0
  /// How often a session was read.
  public private(set) var reads = 0

  /// Creates a store with these sessions.
  public init(_ sessions: [Session] = []) {
    for session in sessions { self.sessions[session.did] = session }
  }

  /// Makes saving fail.
  public func fail(with error: SessionError) { fault = error }

  public func session(of account: DID) -> Session? {
    reads += 1
    return sessions[account]
  }

  public func save(_ session: Session) throws {
    if let fault { throw fault }
    sessions[session.did] = session
    saves += 1
  }

  public func remove(_ account: DID) { sessions[account] = nil }
  public func accounts() -> [DID] { sessions.keys.sorted { $0.description < $1.description } }
  public func current() -> DID? { chosen }
  public func setCurrent(_ account: DID) { chosen = account }
  public func clearCurrent(ifIs account: DID) { if chosen == account { chosen = nil } }

  public nonisolated func withExclusiveAccess<Value: Sendable>(
    to account: DID, _ body: @Sendable () async throws -> Value
  ) async throws -> Value {
    await lock()
    do {
      let value = try await body()
      await unlock()
      return value
    } catch {
      await unlock()
      throw error
    }
  }

  private func lock() async {
    if !isLocked { return isLocked = true }
    await withCheckedContinuation { waiting.append($0) }
  }

  private func unlock() {
    if waiting.isEmpty { isLocked = false } else { waiting.removeFirst().resume() }
  }
}
