// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Lists change one after the other, for each change rests on what the one before has left, and nothing shows before
/// it is so. Waiting goes on to the end, whether or not the task that waits is cancelled.
extension GraphWriter {
  /// Puts an account on a list of one's own.
  ///
  /// - Parameter allowsFollowed: whether a moderation list may take in somebody who is followed.
  @discardableResult
  public func add(
    _ account: DID, to list: ATURI, allowsFollowed: Bool = false
  ) async throws -> ChangeOutcome {
    try await make(.list(.add(account, to: list, allowsFollowed: allowsFollowed)))
  }

  /// Takes an account off a list of one's own, by whichever record (Q16).
  @discardableResult
  public func remove(_ account: DID, from list: ATURI) async throws -> ChangeOutcome {
    try await make(.list(.remove(account, from: list)))
  }

  func makeInTurn(_ change: GraphChange) async throws -> ChangeOutcome {
    let before = listChange
    let task = Task {
      _ = await before?.result
      return try await self.carryOut(change)
    }
    listChange = task
    defer { if listChange == task { listChange = nil } }
    return try await task.value
  }

  private func carryOut(_ change: GraphChange) async throws -> ChangeOutcome {
    let known: KnownGraph
    do { known = try await survey.knowledge(for: [change]) } catch {
      throw ChangeFailure.failed(RepositoryError(asking: error))
    }
    let plan = planner.plan(change, knowing: known[change])
    if case .refused(let refusal) = plan.outcome { throw ChangeFailure.refused(refusal) }
    for step in plan.steps {
      do throws(RepositoryError) { try await carrier.carryOut(step) } catch {
        throw ChangeFailure.failed(error)
      }
    }
    return ChangeOutcome(change, plan.steps.isEmpty ? .held : .done, notes: plan.notes)
  }
}
