// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore

/// What is left of a commit that a server refused for the sake of single records in it.
///
/// A commit with a key that is in use, or with the removal of a record that is not there, fails as a whole: with
/// 500 at the reference PDS, with 400 at others (table of PDSes). Both may be the trace of an earlier, identical
/// commit whose answer was lost, or of somebody else who removed the record. So the records are asked for.
extension PDSRepository {
  /// How a write stands to what the repository holds.
  enum WriteState: Sendable, Equatable {
    /// What it is to bring about is so.
    case done
    /// It is still to be done.
    case open
    /// Another record has the key of the one that it is to make.
    case taken
  }

  /// Questions under way at once.
  private static let lanes = 8

  /// The writes that are still to be done; none when all has happened.
  ///
  /// - Throws: ``RepositoryError`` `refused` when it is not the records' fault; `taken` when one has a key that is
  ///   to be used; `inDoubt` when the server failed and nothing shows why, or does not tell what it holds.
  func rest(of writes: [RecordWrite], after refusal: XRPCError) async throws -> [RecordWrite] {
    let states: [WriteState]
    do {
      // No record speaks for another: those of an earlier commit that came late may be among them.
      states = try await self.states(of: writes)
    } catch {
      let reason = error is CancellationError ? "the asking was cancelled" : "\(error)"
      throw RepositoryError(
        .inDoubt, detail: "\(refusal); what the repository holds could not be learned: \(reason)",
        underlying: refusal)
    }
    if let taken = zip(writes, states).first(where: { $1 == .taken }) {
      throw RepositoryError(takenBy: taken.0, underlying: refusal)
    }
    let rest = zip(writes, states).filter { $1 == .open }.map(\.0)
    guard rest.count < writes.count else { throw RepositoryError(changing: refusal, by: refusal.method) }
    return rest
  }

  /// Holds each write against what the repository has, in their order.
  func states(of writes: [RecordWrite]) async throws -> [WriteState] {
    try await writes.concurrentMap(atMost: Self.lanes, state)
  }

  /// Holds a write against what the repository has.
  func state(of write: RecordWrite) async throws -> WriteState {
    switch write.action {
    case .create(let value):
      let found = try await record(write.rkey, in: write.collection)
      return found.map { write.says(value, as: $0) ? .done : .taken } ?? .open
    case .update(let value, former: _):
      let found = try await record(write.rkey, in: write.collection)
      return found.map { write.says(value, as: $0) } == true ? .done : .open
    case .delete:
      let found = try await find(write.rkey, in: write.collection, reading: RecordPresence.self)
      return found == nil ? .done : .open
    }
  }
}
