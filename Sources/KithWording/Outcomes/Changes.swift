// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithOperations
import KithWriting

extension ChangeRunOutcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    if isDeclined { return Ending.declined.sentence }
    let words: [(ChangeRow.State, String)] = [
      (.planned, "to be \(title.participle)"), (.done, title.participle), (.unchanged, "unchanged"),
      (.undone, "undone"), (.refused, "refused"), (.notFound, "not found"), (.failed, "failed"),
      (.error, "lookup failed"), (.inDoubt, "in doubt"), (.pending, "left"), (.cancelled, "cancelled"),
    ]
    let parts = words.compactMap { state, words in tally.counts[state].map { "\($0) \(words)" } }
    return title.counted(tally.rows) + (parts.isEmpty ? "" : ": \(parts.joined(separator: ", "))")
      + wording.costWords
  }
}

extension ReportToModerators.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    ending == .declined
      ? ending.sentence : wording.sentence(PreparationNote.reported(row, failure)) ?? ending.sentence
  }
}

// MARK: Jobs

extension JobRunOutcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    let (job, counts) = (summary.job.id, summary.counts)
    let how =
      switch end {
      case nil: "job \(job) is already done"
      case .done?: "job \(job) done"
      case .paused?: "job \(job) paused" + wording.hinted(.resume(job), after: "; continue with: ")
      case .cancelled?: "job \(job) cancelled; completed changes stay"
      case .stopped(let stop)?: "job \(job) stopped: \(stop.detail)"
      }
    return how + (counts[.failed] > 0 ? "; \(counts[.failed]) of \(counts.total) failed" : "")
  }
}

extension UndoJob.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    switch self {
    case .run(let outcome): outcome.sentence(in: wording)
    case .undoneBefore(let job): "job \(job) is already undone"
    case .tookBack(let title): "took back: \(title)"
    }
  }
}

extension EndDueJobs.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String { ending.sentence }
}

extension ListJobs.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    Counted.words(count, "job") + (hidden > 0 ? ", \(hidden) of them not listed" : "")
  }
}
