// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// What accounts' own repositories say about their follows of an actor, where the word of an AppView is not enough.
///
/// A follow is a record of the follower: an AppView only has a copy, which may be lost or not yet made.
struct RepositoryPoll: Sendable {
  /// What a repository says.
  enum Answer: Sendable, Hashable {
    /// With this record.
    case follows(RecordKey?)
    case noFollow
  }

  /// What is concluded about accounts that were not asked, or whose repositories decide nothing.
  enum Verdict: Sendable, Hashable {
    /// The AppView lacks follows that exist, so it proves nothing about the others.
    case appViewIsWrong
    /// The AppView agrees with the repositories.
    case appViewIsRight
    /// There are too few answers.
    case unknown
  }

  /// If not more are in doubt, all are asked.
  static let mostAsked = 100
  /// How many of more are asked.
  static let sampleSize = 40
  /// Fewer answers say nothing about other accounts.
  private static let fewestAnswers = 2
  /// The share of answers that contradict the AppView up to which it is believed: a tenth.
  private static let believedShare = 10

  /// The answers of the repositories that decide something.
  private(set) var answers: [DID: Answer] = [:]
  private(set) var asked = 0

  /// How many still follow.
  var following: Int { answers.values.count { $0 != .noFollow } }

  /// What follows for the other accounts.
  var verdict: Verdict {
    guard answers.count >= Self.fewestAnswers else { return .unknown }
    let isContradicted = following >= 2 && following * Self.believedShare > answers.count
    return isContradicted ? .appViewIsWrong : .appViewIsRight
  }

  /// Chooses the accounts to ask: all of up to 100, of more 40 at random. Those with a known key come first, but are not
  /// more likely to be chosen: the AppView may lack other follows than those that were seen long ago.
  ///
  /// - Parameters:
  ///   - most: the most to ask.
  ///   - random: returns numbers between 0 and 1.
  static func chosen(of doubted: [HistoryEdge], most: Int, _ random: () -> Double) -> [HistoryEdge] {
    let wanted = doubted.count <= mostAsked ? doubted.count : sampleSize
    let shuffled = doubted.map { (rank: random(), edge: $0) }.sorted { $0.rank < $1.rank }.map(\.edge)
    let sample = shuffled.prefix(wanted)
    return Array((sample.filter { $0.rkey != nil } + sample.filter { $0.rkey == nil }).prefix(max(0, most)))
  }

  /// Adds an answer; nil if the repository decides nothing.
  mutating func add(_ answer: Answer?, of account: DID) {
    asked += 1
    answers[account] = answer
  }
}

extension Evidence.Finding {
  /// What the repository of a former follower said.
  static let noRecord = Evidence.Finding(.records, .noRecord)
}
