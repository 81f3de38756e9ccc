// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships

/// All accounts of a change, read completely before anything is changed.
///
/// A single invalid line fails the whole: its meaning is unknown, and changes of the other accounts could not
/// be undone exactly.
struct ChangeTargets {
  /// The accounts in input order, without duplicates.
  private(set) var questions: [RelationshipQuestion] = []
  /// The number of duplicates.
  private(set) var repetitions = 0

  /// Reads all accounts.
  ///
  /// - Parameter say: receives a message for each invalid line.
  /// - Throws: ``CommandFault`` `badInput` if a line names no account; what the reading throws.
  init(reading stream: TargetStream, say: (Message) -> Void) async throws {
    var seen: Set<RelationshipQuestion.Target> = []
    var bad = 0
    for try await some in stream {
      for question in some {
        if let complaint = question.complaint {
          bad += 1
          if bad <= SkippedNames.mostNamed { say(complaint) }
        } else if seen.insert(question.target).inserted {
          questions.append(question)
        } else {
          repetitions += 1
        }
      }
    }
    guard bad == 0 else {
      throw CommandFault(.badInput, .invalidNames(bad, unnamed: max(0, bad - SkippedNames.mostNamed)))
    }
  }
}

extension RelationshipQuestion {
  /// What is wrong with it as the name of an account to change; nil if nothing is.
  var complaint: Message? {
    if case .unreadable(let error) = target { return Message(error) }
    // A change of the owner of a named list is never intended.
    return namesAList ? input.map { .isAList($0) } : nil
  }

  /// Whether it is the name of a list or starter pack.
  var namesAList: Bool {
    guard let input, input.utf8.contains(UInt8(ascii: "/")) else { return false }
    return (try? RecordInput(parsing: input)) != nil
  }
}
