// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
public import KithOperations
import KithRelationships

extension TakeSnapshots.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    accounts == 0
      ? "no account is watched" + wording.hinted(.makeFirst(.watchedAccount)) : wording.taken(summary)
  }
}

extension Wording {
  /// What became of the snapshots of a run.
  public func taken(_ summary: SnapshotSummary) -> String {
    var parts = ["\(summary.gained) gained", "\(summary.lost) lost"]
    if summary.unconfirmed > 0 { parts.append("\(summary.unconfirmed) unconfirmed") }
    if summary.failed > 0 { parts.append("\(summary.failed) failed") }
    return "\(Counted.words(summary.taken, "snapshot")): \(parts.joined(separator: ", "))\(costWords)"
  }
}

extension ListChanges.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    let sum = kinds.values.reduce(0, +)
    let words = HistoryChange.Kind.allCases.compactMap { kind in kinds[kind].map { "\($0) \(kind.rawValue)" }
    }
    let why = LossCause.allCases.compactMap { cause in causes[cause].map { "\($0) \(cause.rawValue)" } }
    let losses = why.isEmpty ? "" : " (\(why.joined(separator: ", ")))"
    return sum == 0
      ? "no changes" : "\(Counted.words(sum, "change")): \(words.joined(separator: ", "))\(losses)"
  }
}

extension FollowLive.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    if accounts == 0 { return "no account is watched" + wording.hinted(.makeFirst(.watchedAccount)) }
    let names = LiveRow.names.filter { events[$0] != nil }
    let words =
      names.isEmpty ? "" : " (" + names.map { "\(events[$0] ?? 0) \($0)" }.joined(separator: ", ") + ")"
    let place = cursor.map { "; the next run continues after \(TimeWords.second($0.at))" } ?? ""
    return "\(Counted.words(rows.count, "event"))\(words)\(place)"
  }
}

extension RunDaemon.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    "\(Counted.words(snapshots, "snapshot")), \(Counted.words(jobs, "timed change")) taken back, "
      + Counted.words(gaps, "gap")
  }
}

extension ExplainChanges.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    if !hasChanges, presence.isEmpty { return "the account is not in any snapshot" }
    return presence.isEmpty
      ? "the account is in no listing now"
      : "the account is in " + presence.map(\.listing.words).joined(separator: ", ")
  }
}

extension WatchAccounts.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    "\(Counted.words(added, "account")) added" + (known > 0 ? ", \(known) already watched" : "")
  }
}

extension UnwatchAccounts.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    "\(Counted.words(removed, "account")) removed" + (unknown > 0 ? ", \(unknown) not watched" : "")
  }
}

// MARK: Statistics

extension ComputeStatistics.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    (notes.isEmpty ? "complete" : Counted.words(notes.count, "gap")) + wording.costWords
  }
}

extension TrackGoal.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    if rows.count == 0 {
      return "\(actor.name(in: view)) has no goal" + wording.hinted(.makeFirst(.goal))
    }
    return refusal.map { "there is no forecast: \($0.reason)" } ?? "\(actor.name(in: view)) has a goal"
  }
}

extension RemoveGoal.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    wasSet
      ? "goal of \(actor.name(in: view)) removed"
      : "\(actor.name(in: view)) has no goal" + wording.hinted(.makeFirst(.goal))
  }
}

extension AddSegment.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    replaced.map { "segment \(name) replaced; it was: \($0)" }
      ?? "segment \(name) added" + wording.hinted(.useSegment(name))
  }
}

extension RemoveSegments.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String { "\(Counted.words(removed, "segment")) removed" }
}

extension CountSegments.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    "\(rows.count) of \(Counted.words(segments, "segment")) counted"
  }
}
