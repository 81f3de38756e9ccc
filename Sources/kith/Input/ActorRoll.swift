// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Relationships

/// All accounts of a change, read completely before anything is changed.
///
/// A single invalid line fails the whole: its meaning is unknown, and changes of the other accounts could not
/// be undone exactly.
struct ActorRoll {
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

extension CommonOptions {
  /// Reads the accounts of a change, and reports invalid names, duplicates and incomplete listings.
  ///
  /// - Parameters:
  ///   - isExclusion: whether they are the accounts to leave alone; an empty file is then nothing to report.
  ///   - skipsInvalid: whether names that are not valid are left out, instead of failing all.
  /// - Throws: as ``ActorRoll/init(reading:say:)``.
  func roll(
    of origins: [TargetStream.Origin], asExclusion isExclusion: Bool = false,
    skippingInvalid skipsInvalid: Bool = false,
    calling name: @escaping @Sendable (ActorListing) -> String? = { _ in nil }
  ) async throws -> ActorRoll {
    let failure = PosixMutex<(any Error)?>(nil)
    let skipped = SkippedNames()
    var stream = TargetStream(origins: origins).telling { listing, coverage in
      let message = Message(coverage, of: listing, named: name(listing))
      if let message, !quiet || message.level == .warning { StandardError.say(message) }
      if coverage.undecided > 0, let fault = coverage.fault { failure.withLock { $0 = fault } }
    }
    if skipsInvalid { stream = stream.skipping(\.complaint, to: skipped) }
    let roll = try await ActorRoll(reading: stream, say: StandardError.say)
    skipped.finish()
    // If a filter could not be evaluated for some accounts, nothing is changed.
    if let failure = failure.withLock(\.self) { throw failure }
    if quiet || isExclusion { return roll }
    if roll.repetitions > 0 { StandardError.say(.repetitions(roll.repetitions)) }
    if roll.questions.isEmpty { StandardError.say(.noInput("accounts")) }
    return roll
  }
}

extension RelationshipQuestion {
  /// What is wrong with it as the name of an account to change; nil if nothing is.
  fileprivate var complaint: Message? {
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
