// SPDX-License-Identifier: Apache-2.0

/// Coalesces batch requests: a caller that wants a key already in progress joins the work on it.
///
/// A plain value: the owner provides the lock.
package struct SharedBatches<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  package typealias Work = SharedWork<[Key: Value]>

  /// The number distinguishes one piece of work from a later one for the same key.
  private struct Entry {
    let number: Int
    let work: Work
  }

  private var underWay: [Key: Entry] = [:]
  private var begun = 0

  /// Creates a value with no work in progress.
  package init() {}

  /// Joins all work in progress on these keys, and starts one piece of work for the rest.
  ///
  /// - Parameter begin: Starts the work, given its keys and the number to pass to ``end(_:of:)``.
  /// - Returns: The work to wait for with ``outcomes(of:about:)``.
  package mutating func join(_ keys: [Key], begin: ([Key], Int) -> Work) -> [Work] {
    var works: [ObjectIdentifier: Work] = [:]
    var remaining: [Key] = []
    for key in keys {
      guard let work = underWay[key]?.work else {
        remaining.append(key)
        continue
      }
      if works[ObjectIdentifier(work)] != nil { continue }
      if work.join() { works[ObjectIdentifier(work)] = work } else { remaining.append(key) }
    }
    if !remaining.isEmpty {
      begun += 1
      let work = begin(remaining, begun)
      _ = work.join()
      works[ObjectIdentifier(work)] = work
      for key in remaining { underWay[key] = Entry(number: begun, work: work) }
    }
    return Array(works.values)
  }

  /// Removes the work with this number, which has ended.
  package mutating func end(_ number: Int, of keys: [Key]) {
    for key in keys where underWay[key]?.number == number { underWay[key] = nil }
  }

  /// Whether a new caller for the key would join the work with this number: it was neither forgotten nor
  /// replaced.
  package func isCurrent(_ number: Int, _ key: Key) -> Bool { underWay[key]?.number == number }

  /// Detaches the work on a key: the next caller starts new work.
  package mutating func forget(_ key: Key) { underWay[key] = nil }

  /// Detaches the work on all keys.
  package mutating func forgetAll() { underWay = [:] }

  /// Waits for work that was joined, and leaves all of it.
  ///
  /// - Throws: What a piece of work throws; `CancellationError` at once if the caller's task is cancelled.
  package static func outcomes(of works: [Work], about keys: [Key]) async throws -> [Key: Value] {
    var open = works
    defer { for work in open { work.leave() } }
    var outcomes: [Key: Value] = [:]
    while let work = open.popLast() { outcomes.merge(try await work.value()) { _, new in new } }
    let wanted = Set(keys)
    return outcomes.filter { wanted.contains($0.key) }
  }
}
