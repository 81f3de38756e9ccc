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

  private let start: @Sendable () -> (AnswerPump, Task<Void, Never>)

  init<Questions: AsyncSequence & Sendable>(
    _ questions: Questions, pump: @escaping @Sendable () -> AnswerPump
  ) where Questions.Element == [RelationshipQuestion] {
    start = {
      let pump = pump()
      return (pump, Task { await pump.run(questions) })
    }
  }

  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(start: start) }

  /// Asks from its first `next()` on; letting go of it ends the asking.
  public struct AsyncIterator: AsyncIteratorProtocol {
    /// Cancels the run when the last copy of the iterator is gone.
    private final class Run: Sendable {
      let pump: AnswerPump
      private let task: Task<Void, Never>

      init(_ started: (pump: AnswerPump, task: Task<Void, Never>)) { (pump, task) = started }
      deinit { task.cancel() }
      func cancel() { task.cancel() }
    }

    private let start: @Sendable () -> (AnswerPump, Task<Void, Never>)
    private var run: Run?
    private var ready: [RelationshipAnswer] = []
    private var position = 0

    init(start: @escaping @Sendable () -> (AnswerPump, Task<Void, Never>)) { self.start = start }

    /// Whether the next answer has to be waited for: the moment to pass on what was made of earlier ones.
    package var mustWait: Bool { position == ready.count }

    public mutating func next() async throws -> RelationshipAnswer? {
      if position == ready.count {
        let run = run ?? Run(start())
        self.run = run
        ready = try await withTaskCancellationHandler {
          try await run.pump.nextAnswers()
        } onCancel: {
          run.cancel()
        }
        position = 0
        if ready.isEmpty { return nil }
      }
      defer { position += 1 }
      return ready[position]
    }
  }
}
