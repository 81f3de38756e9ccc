// SPDX-License-Identifier: Apache-2.0

/// Answers as they arrive, one per question, in the order of the questions, including duplicates.
///
/// The failure of one target is an answer. The sequence throws only if the actor itself cannot be queried
/// (`actorNotFound`), if the questions' own sequence throws (after the answers to earlier questions), or if
/// the task is cancelled. Requests start with the first `next()`. Memory is bounded: reading waits for the
/// consumer.
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

  /// Requests start with the first `next()` and end when the iterator is released.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let start: @Sendable () -> Run
    private var run: Run?
    private var ready: [RelationshipAnswer] = []
    private var position = 0

    fileprivate init(start: @escaping @Sendable () -> Run) { self.start = start }

    public mutating func next() async throws -> RelationshipAnswer? {
      if position == ready.count {
        guard let answers = try await nextAnswers() else { return nil }
        (ready, position) = (answers, 0)
      }
      defer { position += 1 }
      return ready[position]
    }

    /// The answers that are ready, at least one; nil at the end. After them is the moment to flush output.
    ///
    /// Do not mix with ``next()``, which splits them.
    package mutating func nextAnswers() async throws -> [RelationshipAnswer]? {
      let run = run ?? start()
      self.run = run
      let answers = try await withTaskCancellationHandler {
        try await run.pipeline.nextAnswers()
      } onCancel: {
        run.stop()
      }
      return answers.isEmpty ? nil : answers
    }
  }

  /// A running pipeline, which stops when the last copy of the iterator is released.
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

/// Questions made from the elements of a sequence, in groups, on demand.
struct QuestionSequence<Base: Sequence & Sendable>: AsyncSequence, Sendable {
  typealias Element = [RelationshipQuestion]
  typealias Failure = any Error

  /// Large enough to keep the overhead small, small enough for memory.
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
