// SPDX-License-Identifier: Apache-2.0

/// The names of a run that are not valid: reports the first on stderr, and the number of all at the end.
struct InvalidNames {
  private var count = 0

  /// Counts a name, and reports it unless there were too many before.
  ///
  /// - Parameter say: reports one message.
  mutating func add(_ complaint: Message, say: (Message) -> Void) {
    count += 1
    if count <= SkippedNames.mostNamed { say(complaint) }
  }

  /// How many there were, if not all were reported.
  var rest: Message? {
    count > SkippedNames.mostNamed ? .namesInvalid(count, unnamed: count - SkippedNames.mostNamed) : nil
  }
}
