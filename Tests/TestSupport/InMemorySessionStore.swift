// SPDX-License-Identifier: Apache-2.0

package import KithClient
package import KithCore

/// Sessions in memory with a real lock; shared by several keepers as files are by processes.
package actor InMemorySessionStore: SessionStore {
  private var sessions: [DID: Session] = [:]
  private var chosen: DID?
  private var isLocked = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var fault: SessionError?
  /// How often a session was stored.
  package private(set) var saves = 0
  /// How often a session was read.
  package private(set) var reads = 0

  /// Creates a store with these sessions.
  package init(_ sessions: [Session] = []) {
    for session in sessions { self.sessions[session.did] = session }
  }

  /// Makes saving fail.
  package func fail(with error: SessionError) { fault = error }

  package func session(of account: DID) -> Session? {
    reads += 1
    return sessions[account]
  }

  package func save(_ session: Session) throws {
    if let fault { throw fault }
    sessions[session.did] = session
    saves += 1
  }

  package func remove(_ account: DID) { sessions[account] = nil }
  package func accounts() -> [DID] { sessions.keys.sorted { $0.description < $1.description } }
  package func current() -> DID? { chosen }
  package func setCurrent(_ account: DID) { chosen = account }
  package func clearCurrent(ifIs account: DID) { if chosen == account { chosen = nil } }

  package nonisolated func withExclusiveAccess<Value: Sendable>(
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
