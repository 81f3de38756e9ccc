// SPDX-License-Identifier: Apache-2.0

/// Answers as they come, one for each question, in the order of the questions, duplicates included.
///
/// A fault of one target is an answer; the sequence throws only when nothing can be asked about the actor
/// itself (`actorNotFound`), when the questions' own sequence throws (after the answers to those that came
/// before), or when the task is cancelled. Nothing
/// is asked before the first answer is wanted. Memory stays bounded: reading waits for whoever takes the
/// answers.
public struct RelationshipAnswers: AsyncSequence, Sendable {
  public typealias Element = RelationshipAnswer
  public typealias Failure = any Error

  private let start: @Sendable () -> Run

  init<Questions: AsyncSequence & Sendable>(
    _ questions: Questions, pipeline: @escaping @Sendable () -> AnswerPipeline
  ) where Questions.Element == [RelationshipQuestion] {
    start = {
      let pipeline = pipeline()
      return Run(pipeline, pipeline.start(questions))
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(start: start) }

  /// Asks from its first `next()` on; letting go of it ends the asking.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let start: @Sendable () -> Run
    private var run: Run?
    private var ready: [RelationshipAnswer] = []
    private var position = 0

    fileprivate init(start: @escaping @Sendable () -> Run) { self.start = start }

    /// Whether the next answer has to be waited for: the moment to pass on what was made of earlier ones.
    package var mustWait: Bool { position == ready.count }

    public mutating func next() async throws -> RelationshipAnswer? {
      if position == ready.count {
        let run = run ?? start()
        self.run = run
        ready = try await withTaskCancellationHandler {
          try await run.pipeline.nextAnswers()
        } onCancel: {
          run.stop()
        }
        position = 0
        if ready.isEmpty { return nil }
      }
      defer { position += 1 }
      return ready[position]
    }
  }
  /// A pipeline at work, which stops when the last copy of the iterator is gone.
  fileprivate final class Run: Sendable {
    let pipeline: AnswerPipeline
    private let reading: Task<Void, Never>

    init(_ pipeline: AnswerPipeline, _ reading: Task<Void, Never>) {
      (self.pipeline, self.reading) = (pipeline, reading)
    }

    deinit { stop() }

    func stop() {
      pipeline.stop()
      reading.cancel()
    }
  }
}

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
