// SPDX-License-Identifier: Apache-2.0

extension Sequence where Element: Sendable {
  /// Transforms each element in a task of its own, so many at once at most; the outcomes stand in the order of
  /// the elements.
  ///
  /// - Throws: the first error, which cancels what is under way and begins nothing more.
  package func concurrentMap<Outcome: Sendable>(
    atMost limit: Int, _ transform: @escaping @Sendable (Element) async throws -> Outcome
  ) async throws -> [Outcome] {
    try await withThrowingTaskGroup(of: (Int, Outcome).self) { group in
      var rest = enumerated().makeIterator()
      func beginNext() -> Bool {
        guard let (position, element) = rest.next() else { return false }
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
  /// The elements in their order, so many in each part but the last.
  package func parts(of size: Int) -> [[Element]] {
    var parts: [[Element]] = []
    var rest = self[...]
    while !rest.isEmpty {
      parts.append(Array(rest.prefix(Swift.max(1, size))))
      rest = rest.dropFirst(Swift.max(1, size))
    }
    return parts
  }
}
