// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// Lists change one after the other, for each change rests on what the one before has left, and nothing shows before
/// it is so.
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

  /// Makes a change once those before it are made, and tells who waits.
  func makeInTurn(_ change: GraphChange, for waiter: WishMachine.WaiterID) {
    let before = listChange
    listChange = Task {
      await before?.value
      let outcome: Result<ChangeOutcome, any Error>
      do { outcome = .success(try await carryOut(change)) } catch { outcome = .failure(error) }
      end(waiter, with: outcome)
    }
  }

  private func carryOut(_ change: GraphChange) async throws(ChangeFailure) -> ChangeOutcome {
    let known: KnownGraph
    do { known = try await survey.knowledge(for: [change]) } catch {
      throw .failed(RepositoryError(asking: error))
    }
    let plan = planner.plan(change, knowing: known[change])
    if case .refused(let refusal) = plan.outcome { throw .refused(refusal) }
    let steps = listDoubts.keepingKeys(of: change, in: plan.steps)
    do throws(RepositoryError) {
      for step in steps { try await carrier.carryOut(step) }
    } catch {
      if error.code == .inDoubt { listDoubts.add(change, steps) } else { listDoubts.end(change) }
      throw .failed(error)
    }
    listDoubts.end(change)
    return ChangeOutcome(change, steps.isEmpty ? .held : .done, notes: plan.notes)
  }
}
