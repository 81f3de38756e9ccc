// SPDX-License-Identifier: Apache-2.0

/// The elements that a sequence has buffered, without waiting for another one.
package func buffered<Element: Sendable>(
  _ sequence: some AsyncSequence<Element, Never> & Sendable
) async -> [Element] {
  await Task {
    // A cancelled task drains the buffer and then ends.
    withUnsafeCurrentTask { $0?.cancel() }
    var all: [Element] = []
    for await element in sequence { all.append(element) }
    return all
  }.value
}
