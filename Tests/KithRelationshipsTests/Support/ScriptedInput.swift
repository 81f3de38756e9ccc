// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import TestSupport

/// Questions that are produced on demand and counted, with an end chosen by the test.
struct ScriptedInput: AsyncSequence, Sendable {
  typealias Element = RelationshipQuestion
  typealias Failure = any Error

  /// What follows the last question.
  enum Ending: Sendable {
    case end
    case fault
    /// Nothing more, but not the end either, until the task is cancelled.
    case silence
  }

  struct Fault: Error, Equatable {}

  /// Number of questions taken.
  final class Counter: Sendable {
    private let count = Watched(0)
    let silence = Turnstile(isOpen: false)

    var value: Int { count.withLock { $0 } }
    func increment() { count.withLock { $0 += 1 } }
    func untilTaken(_ number: Int) async { await count.until { $0 >= number } }
  }

  let questions: [RelationshipQuestion]
  var ending = Ending.end
  let counter = Counter()

  init(_ questions: [RelationshipQuestion], ending: Ending = .end) {
    self.questions = questions
    self.ending = ending
  }

  init(_ targets: [DID], ending: Ending = .end) {
    self.init(targets.map { RelationshipQuestion($0) }, ending: ending)
  }

  func makeAsyncIterator() -> Iterator { Iterator(input: self) }

  struct Iterator: AsyncIteratorProtocol {
    let input: ScriptedInput
    var position = 0

    mutating func next() async throws -> RelationshipQuestion? {
      if position < input.questions.count {
        input.counter.increment()
        defer { position += 1 }
        return input.questions[position]
      }
      switch input.ending {
      case .end: return nil
      case .fault: throw Fault()
      case .silence:
        try await input.counter.silence.pass {}
        return nil
      }
    }
  }
}
