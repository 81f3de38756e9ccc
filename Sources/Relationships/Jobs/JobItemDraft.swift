// SPDX-License-Identifier: Apache-2.0

/// What a new item of a job is to be.
public struct JobItemDraft: Sendable, Hashable {
  /// What was typed, or stood in a file.
  public var input: String
  /// What is done, with every key chosen.
  public var step: ChangeStep
  /// Why it is left alone from the start; nil where it is to be done.
  public var skipped: String?
  /// The place of the item that it takes back, in the job that its job undoes.
  public var origin: Int?

  /// Puts a draft together.
  public init(input: String, step: ChangeStep, skipped: String? = nil, origin: Int? = nil) {
    self.input = input
    self.step = step
    self.skipped = skipped
    self.origin = origin
  }
}
