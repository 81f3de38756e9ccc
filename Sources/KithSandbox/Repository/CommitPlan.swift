// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons

/// Computes what a commit would do to a repository, following a PDS dialect.
struct CommitPlan {
  let dialect: SandboxDialect

  /// Returns the state of each record after the writes.
  ///
  /// - Parameters:
  ///   - latest: the latest commit of the repository.
  ///   - swap: the commit that must be the latest.
  ///   - replacing: whether an older follow or block of the same subject is replaced (Q16).
  /// - Throws: ``XRPCFault`` if one write is impossible; then none is applied.
  func outcome(
    of writes: [PreparedWrite], in repository: SandboxRepository, at latest: CID, swap: CID?,
    replacing: Bool = false
  ) throws(XRPCFault) -> [(name: SandboxRecordName, written: WrittenRecord?)] {
    try check(swap, against: latest)
    var changes = Changeset(repository)
    for write in writes {
      if replacing {
        for name in rivals(of: write, in: repository) { changes[name] = nil }
      }
      let current = changes[write.name]
      if write.isSettled(by: current) { continue }
      try check(write, against: current)
      changes[write.name] = write.written
    }
    return changes.outcome
  }

  private func check(_ swap: CID?, against head: CID) throws(XRPCFault) {
    guard let swap else { return }
    try refuseSwap()
    guard swap == head else { throw Self.invalidSwap("Commit was at \(head)") }
  }

  private func check(_ write: PreparedWrite, against current: WrittenRecord?) throws(XRPCFault) {
    if let swap = write.swap {
      try refuseSwap()
      let isMet =
        switch swap {
        case .nothing: current == nil
        case .cid(let cid): current?.cid == cid
        }
      guard isMet else {
        throw Self.invalidSwap("Record was at \(current?.cid.description ?? "null")")
      }
    }
    switch (write.action, current) {
    case (.create, .some): throw unforeseen("record already exists")
    case (.update, nil), (.delete, nil): throw unforeseen("no such record")
    default: break
    }
  }

  /// The error for an impossible write: the reference PDS fails with an internal error, and so does arroba.
  private func unforeseen(_ words: String) -> XRPCFault {
    dialect == .lenient ? .invalidRequest(words) : .internalServerError
  }

  private func refuseSwap() throws(XRPCFault) {
    if dialect == .arroba { throw .invalidRequest("swap not supported yet") }
  }

  private static func invalidSwap(_ message: String) -> XRPCFault {
    XRPCFault(status: 400, name: "InvalidSwap", message: message)
  }

  /// Returns other records that follow or block the same account.
  private func rivals(of write: PreparedWrite, in repository: SandboxRepository) -> [SandboxRecordName] {
    let collections = [App.Bsky.Graph.Follow.nsid, App.Bsky.Graph.Block.nsid]
    guard collections.contains(write.name.collection), let subject = write.written?.value["subject"]?.string
    else { return [] }
    let network = repository.network
    let index = DID(subject).flatMap { network.index(of: $0) }
    return repository.table(write.name.collection).entries.compactMap { entry in
      let isRival =
        switch entry.record {
        case .follow(let edge): network.follows.column(of: edge) == index
        case .block(let edge): network.blocks.column(of: edge) == index
        default: network.content(of: entry.record).value["subject"]?.string == subject
        }
      return isRival && entry.key != write.name.key
        ? SandboxRecordName(collection: write.name.collection, key: entry.key) : nil
    }
  }
}
