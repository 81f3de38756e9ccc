// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithLexicons
internal import KithRelationships

/// What an answer of success proves. The status alone proves nothing: some hosts answer 200 and write nothing,
/// and older servers send no results.
extension PDSRepository {
  typealias CommitAnswer = Com.Atproto.Repo.ApplyWrites.Output

  /// Whether the answer names every write: a result for each, in order, of its kind, with its URI.
  ///
  /// The result of a deletion has no URI.
  func acknowledges(_ answer: CommitAnswer, _ writes: [RecordWrite]) -> Bool {
    guard let results = answer.results, results.count == writes.count else { return false }
    return zip(results, writes).allSatisfy { result, write in
      switch (result, write.action) {
      case (.createResult(let made), .create): names(made.uri, write.name)
      case (.updateResult(let made), .update): names(made.uri, write.name)
      case (.deleteResult, .delete): true
      default: false
      }
    }
  }

  /// Reads the records of a commit that the answer does not acknowledge.
  ///
  /// - Returns: the keys of records to which the server gave keys of its own.
  /// - Throws: ``RepositoryError/Code/inDoubt`` if one of them is not as it was sent, or cannot be read.
  func readBack(
    _ writes: [RecordWrite], after answer: CommitAnswer
  ) async throws(RepositoryError)
    -> [RecordName: RecordKey]
  {
    let found: [RecordName: DataValue]
    let names = writes.indices.map { name(of: writes[$0], at: $0, in: answer) }
    do {
      found = try await read(Set(names))
    } catch {
      throw RepositoryError(
        .inDoubt,
        detail:
          "\(Com.Atproto.Repo.ApplyWrites.nsid): not all writes are acknowledged, and reading failed: \(DecodingFault(error))",
        underlying: error)
    }
    for (write, name) in zip(writes, names) where state(of: write, beside: found[name]) != .done {
      throw RepositoryError(
        .inDoubt, detail: "the server accepted \(write.name), but the repository does not show it")
    }
    let renamed = zip(writes, names).filter { $0.name != $1 }
    return Dictionary(renamed.map { ($0.name, $1.rkey) }) { first, _ in first }
  }

  /// The name that the server gave a record to be created; the one that was sent if it names none.
  private func name(of write: RecordWrite, at index: Int, in answer: CommitAnswer) -> RecordName {
    guard let results = answer.results, results.indices.contains(index), case .create = write.action,
      case .createResult(let made) = results[index], made.uri.authority == .did(account),
      made.uri.collection == write.collection, let rkey = made.uri.recordKey
    else { return write.name }
    return RecordName(rkey, in: write.collection)
  }

  private func names(_ uri: ATURI, _ name: RecordName) -> Bool {
    uri.authority == .did(account) && uri.collection == name.collection && uri.recordKey == name.rkey
  }
}
