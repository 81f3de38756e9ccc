// SPDX-License-Identifier: Apache-2.0

/// Work that is under way, by each key that it is about: whoever wants one of these keys too takes a seat at it.
///
/// A plain value: whoever shares it brings the lock.
package struct SharedBatches<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  package typealias Work = SharedWork<[Key: Value]>

  /// Tells one piece of work from a later one about the same key.
  private struct Entry {
    let number: Int
    let work: Work
  }

  private var underWay: [Key: Entry] = [:]
  private var begun = 0

  /// Nothing is under way.
  package init() {}

  /// Takes a seat at all work about these keys, and begins one piece for those that nobody works at.
  ///
  /// - Parameter begin: starts the work; it is given its keys, and the number by which ``end(_:of:)`` knows it.
  /// - Returns: what to wait for, by ``outcomes(of:about:)``.
  package mutating func join(_ keys: [Key], begin: ([Key], Int) -> Work) -> [Work] {
    var works: [ObjectIdentifier: Work] = [:]
    var rest: [Key] = []
    for key in keys {
      guard let work = underWay[key]?.work else {
        rest.append(key)
        continue
      }
      if works[ObjectIdentifier(work)] != nil { continue }
      if work.join() { works[ObjectIdentifier(work)] = work } else { rest.append(key) }
    }
    if !rest.isEmpty {
      begun += 1
      let work = begin(rest, begun)
      _ = work.join()
      works[ObjectIdentifier(work)] = work
      for key in rest { underWay[key] = Entry(number: begun, work: work) }
    }
    return Array(works.values)
  }

  /// The work of that number is over.
  package mutating func end(_ number: Int, of keys: [Key]) {
    for key in keys where underWay[key]?.number == number { underWay[key] = nil }
  }

  /// Whether the work of that number is what somebody would wait for who wants the key now: neither forgotten nor
  /// replaced.
  package func isCurrent(_ number: Int, _ key: Key) -> Bool { underWay[key]?.number == number }

  /// The next who wants the key has it worked at anew.
  package mutating func forget(_ key: Key) { underWay[key] = nil }

  /// As ``forget(_:)``, for all keys.
  package mutating func forgetAll() { underWay = [:] }

  /// Waits for work at which seats were taken, and gives all of them back.
  ///
  /// - Throws: what a piece of work throws; `CancellationError` at once when the asker's task is cancelled.
  package static func outcomes(of works: [Work], about keys: [Key]) async throws -> [Key: Value] {
    var open = works
    defer { for work in open { work.leave() } }
    var outcomes: [Key: Value] = [:]
    while let work = open.popLast() { outcomes.merge(try await work.value()) { _, new in new } }
    let wanted = Set(keys)
    return outcomes.filter { wanted.contains($0.key) }
  }
}
