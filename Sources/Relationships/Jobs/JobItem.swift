// SPDX-License-Identifier: Apache-2.0

/// One step of a job, with the words that asked for it and what became of it.
public struct JobItem: Sendable, Hashable {
  /// Its place in the job, from 0 on; the order in which items are sent.
  public var position: Int
  /// What was typed, or stood in a file.
  public var input: String
  /// What is done, with every key chosen.
  public var step: ChangeStep
  /// What became of it.
  public var state: JobItemState
  /// The place of the item that it takes back, in the job that its job undoes.
  public var origin: Int?

  /// Puts an item together.
  public init(
    position: Int, input: String, step: ChangeStep, state: JobItemState = .pending, origin: Int? = nil
  ) {
    self.position = position
    self.input = input
    self.step = step
    self.state = state
    self.origin = origin
  }
}
