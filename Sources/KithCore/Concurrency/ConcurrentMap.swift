// SPDX-License-Identifier: Apache-2.0

extension Sequence where Element: Sendable {
  /// Transforms the elements concurrently, each in its own task, with at most `limit` at once. The outcomes
  /// are in the order of the elements.
  ///
  /// - Throws: The first error; running tasks are then cancelled and no further ones start.
  package func concurrentMap<Outcome: Sendable>(
    atMost limit: Int, _ transform: @escaping @Sendable (Element) async throws -> Outcome
  ) async throws -> [Outcome] {
    try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
      var remaining = enumerated().makeIterator()
      func beginNext() -> Bool {
        guard let (position, element) = remaining.next() else { return false }
        group.addTask { (position, try await transform(element)) }
        return true
      }
      var begun = 0
      while begun < Swift.max(1, limit), beginNext() { begun += 1 }
      var outcomes: [(position: Int, outcome: Outcome)] = []
      while let next = try await group.next() {
        outcomes.append(next)
        _ = beginNext()
      }
      return outcomes.sorted { $0.position < $1.position }.map(\.outcome)
    }
  }
}

extension Collection {
  /// Splits the elements into consecutive parts of this size; the last part may be smaller.
  package func parts(of size: Int) -> [[Element]] {
    var parts: [[Element]] = []
    var remaining = self[...]
    while !remaining.isEmpty {
      parts.append(Array(remaining.prefix(Swift.max(1, size))))
      remaining = remaining.dropFirst(Swift.max(1, size))
    }
    return parts
  }
}
