// SPDX-License-Identifier: Apache-2.0

/// Tells whether something was forgotten since a question about it was asked.
///
/// It counts what is forgotten, and remembers the latest of it by name. Of a question asked before that, it
/// says that all was forgotten: an answer that is not remembered costs a call, a wrong one more.
struct ForgottenLog<Name: Hashable & Sendable>: Sendable {
  /// How many names are remembered.
  private let capacity: Int
  private var generations: [Name: Int] = [:]
  /// The names by ``generation``, from the oldest that counts; a name that was forgotten again counts once
  /// more.
  private var order: [Name] = []
  private var next = 0
  /// All questions asked before this generation count as forgotten.
  private var floor = 0
  /// How often something was forgotten.
  private(set) var generation = 0

  init(capacity: Int = 1_024) { self.capacity = max(1, capacity) }

  mutating func forget(_ name: Name) {
    generation += 1
    generations[name] = generation
    if order.count < capacity {
      order.append(name)
      return
    }
    let gone = order[next]
    order[next] = name
    next = (next + 1) % capacity
    floor = generation - capacity
    if let last = generations[gone], last <= floor { generations[gone] = nil }
  }

  mutating func forgetAll() {
    let generation = generation + 1
    self = ForgottenLog(capacity: capacity)
    self.generation = generation
    floor = generation
  }

  /// Whether a name, or everything, was forgotten after the generation in which was asked.
  func hasForgotten(_ name: Name, since asked: Int) -> Bool {
    if asked == generation { return false }
    return asked < floor || generations[name, default: 0] > asked
  }
}
