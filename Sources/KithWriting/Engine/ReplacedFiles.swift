// SPDX-License-Identifier: Apache-2.0

internal import KithClient
package import KithCore
internal import KithCrypto
internal import KithRelationships

// A server deletes a file, such as a picture, with the last record that names it. Before a change is sent, the files
// that it may cost are copied into the journal, so that an undo can upload them again.

extension DataValue {
  /// The files that a record names, at any depth.
  package var files: [Blob] {
    switch self {
    case .object(let fields): file.map { [$0] } ?? fields.values.flatMap(\.files)
    case .array(let elements): elements.flatMap(\.files)
    case .null, .bool, .integer, .string, .bytes, .link: []
    }
  }

  /// The file that it is a reference to; nil if it is not one.
  fileprivate var file: Blob? {
    guard type == "blob" || type == nil && self["cid"] != nil && self["mimeType"] != nil else {
      return nil
    }
    return try? decode(Blob.self)
  }
}

extension RecordWrite {
  /// The files that only the former record names: the server may delete them with this write.
  package var filesLetGo: [Blob] {
    switch action {
    case .create: return []
    case .delete(let former): return former?.files ?? []
    case .update(let value, let former):
      let kept = Set(value.files.map(\.ref))
      return (former?.files ?? []).filter { !kept.contains($0.ref) }
    }
  }

  /// The files that only the new record names: the server has to have them before this write.
  package var filesNeeded: [Blob] {
    switch action {
    case .create(let value): return value.files
    case .delete: return []
    case .update(let value, let former):
      let there = Set((former?.files ?? []).map(\.ref))
      return value.files.filter { !there.contains($0.ref) }
    }
  }

  /// The same write without files that are gone for good; nil if it is nothing without them.
  ///
  /// A file that is a field of the record, such as an avatar, is left out: the record keeps what it has there. One
  /// that is part of something else, such as the pictures of a post, is not.
  fileprivate func leavingOut(_ lost: Set<CID>) -> RecordWrite? {
    guard filesNeeded.contains(where: { lost.contains($0.ref) }) else { return self }
    func rest(of value: DataValue, beside present: DataValue?) -> DataValue? {
      guard var fields = value.object else { return nil }
      for (name, field) in fields where field.file.map({ lost.contains($0.ref) }) == true {
        fields[name] = present?[name]
      }
      return DataValue.object(fields).files.contains { lost.contains($0.ref) } ? nil : .object(fields)
    }
    var write = self
    switch action {
    case .create(let value):
      guard let rest = rest(of: value, beside: nil) else { return nil }
      write.action = .create(rest)
    case .update(let value, let former):
      guard let rest = rest(of: value, beside: former), rest != former else { return nil }
      write.action = .update(rest, former: former)
    case .delete: break
    }
    return write
  }
}

extension StepPrecondition {
  /// Leaves out what needs files that are gone for good.
  func leavingOut(_ lost: Set<CID>) -> StepPrecondition {
    guard !lost.isEmpty, case .proceed(let step) = self, case .write(let writes) = step.action else {
      return self
    }
    let left = writes.compactMap { $0.leavingOut(lost) }
    // A step is all or nothing.
    guard left.count == writes.count else { return .leave(.fileIsGone) }
    return .proceed(ChangeStep(subject: step.subject, action: .write(left)))
  }
}

extension ChangeEngine {
  /// Returns the files that can no longer be named by a record: neither the server nor the journal has them.
  ///
  /// - Throws: `RepositoryError` if the account is no longer signed in; what the journal throws; `CancellationError`.
  package func lostFiles(among files: [Blob]) async throws -> Set<CID> {
    try await FileKeeper(repository: repository, journal: journal, time: time).lost(among: files)
  }
}

/// Copies of files that a server has, or had.
struct FileKeeper: Sendable {
  let repository: any Repository
  let journal: any JobStore
  let time: TimeSource

  /// How long the files of a change are read at most.
  private static let patience = Duration.seconds(60)
  /// Files that are larger are read one after another.
  private static let mostBytesInParallel = 4 << 20

  /// Copies files that are still on the server into the journal, if they are not there yet.
  ///
  /// - Parameter tried: those that are not read, because that was tried before.
  /// - Returns: those of which there is no copy: they cannot be read, took too long, or there is no room.
  /// - Throws: what the journal throws; `CancellationError`.
  func keep(_ files: [Blob], besides tried: Set<CID> = []) async throws -> Set<CID> {
    let wanted = Dictionary(files.map { ($0.ref, $0) }) { first, _ in first }
    let end = time.now + Self.patience
    var tried = tried
    while true {
      let unkept = Set(wanted.keys).subtracting(try await journal.keptFiles(among: Set(wanted.keys)))
      let missing = unkept.subtracting(tried)
      if missing.isEmpty { return unkept }
      // To keep one may remove an old copy of another one, which is then read as well.
      tried.formUnion(missing)
      let isParallel = missing.allSatisfy { (wanted[$0]?.size ?? 0) <= Self.mostBytesInParallel }
      _ = try await missing.sorted { "\($0)" < "\($1)" }.concurrentMap(atMost: isParallel ? 4 : 1) {
        cid -> Bool in
        guard let file = wanted[cid], time.now < end, let bytes = try await read(file) else { return false }
        return try await journal.keep(bytes, as: cid, at: time.instant)
      }
    }
  }

  /// Reads a file; nil if that fails.
  private func read(_ file: Blob) async throws -> [UInt8]? {
    do { return try await repository.file(file) } catch is CancellationError {
      throw CancellationError()
    } catch {
      return nil
    }
  }

  /// Returns the files that neither the journal nor the server has. One that the server does not hand out, or that is too
  /// large to be read, does not count as gone: the server refuses a record that names a missing one.
  ///
  /// - Throws: `RepositoryError` if the account is no longer signed in; what the journal throws; `CancellationError`.
  func lost(among files: [Blob]) async throws -> Set<CID> {
    let wanted = Dictionary(files.map { ($0.ref, $0) }) { first, _ in first }
    var missing = Set(wanted.keys).subtracting(try await journal.keptFiles(among: Set(wanted.keys)))
    for cid in missing {
      guard let file = wanted[cid] else { continue }
      do {
        if (file.size ?? 0) <= PDSRepository.mostFileBytes {
          guard let bytes = try await repository.file(file) else { continue }
          // The server may delete it before the record is there.
          _ = try await journal.keep(bytes, as: cid, at: time.instant)
        }
      } catch let error as RepositoryError where error.code != .notAuthorized {}
      missing.remove(cid)
    }
    return missing
  }

  /// Uploads the files again that writes need and that have copies.
  ///
  /// - Throws: `RepositoryError`; what the journal throws; `CancellationError`.
  func upload(for writes: [RecordWrite]) async throws {
    var uploaded: Set<CID> = []
    for file in writes.flatMap(\.filesNeeded) where uploaded.insert(file.ref).inserted {
      guard let bytes = try await journal.file(file.ref), CID(ofFile: bytes) == file.ref else { continue }
      try await repository.upload(bytes, as: file)
    }
  }
}
