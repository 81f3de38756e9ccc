// SPDX-License-Identifier: Apache-2.0

/// Questions made from the elements of a plain sequence, some at a time as they are wanted.
struct QuestionSequence<Base: Sequence & Sendable>: AsyncSequence, Sendable {
  typealias Element = [RelationshipQuestion]
  typealias Failure = any Error

  /// Enough to keep the cost of handing over small, few enough to wait for in memory.
  private static var batch: Int { 256 }

  private let base: Base
  private let question: @Sendable (Base.Element) -> RelationshipQuestion

  init(_ base: Base, question: @escaping @Sendable (Base.Element) -> RelationshipQuestion) {
    self.base = base
    self.question = question
  }

  func makeAsyncIterator() -> Iterator { Iterator(base: base.makeIterator(), question: question) }

  struct Iterator: AsyncIteratorProtocol {
    var base: Base.Iterator
    let question: @Sendable (Base.Element) -> RelationshipQuestion

    mutating func next() async throws -> [RelationshipQuestion]? {
      var questions: [RelationshipQuestion] = []
      while questions.count < batch, let element = base.next() { questions.append(question(element)) }
      return questions.isEmpty ? nil : questions
    }
  }
}
