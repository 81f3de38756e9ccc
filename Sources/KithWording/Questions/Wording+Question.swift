// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithOperations
import KithPosts
import KithRelationships
import KithWriting

extension Wording {
  /// A question in a sentence.
  public func sentence(_ question: Question) -> String {
    switch question {
    case .change(let question): return sentence(question, showing: question.rows)
    case .undo(let summary, let preview):
      let (job, done) = (summary.job, summary.counts[.done])
      let undone = "Undo \(done == 1 ? "1 change" : "\(done) changes") of job \(job.id) (\(job.title))"
      let details = preview.details
      return details.isEmpty ? "\(undone)?" : "\(undone): \(details.joined(separator: "; "))?"
    case .endRestored(let jobs, let since):
      return
        "A backup took the place of the journal at \(since). Undo \(Counted.words(jobs.count, "job")) whose time is "
        + "over, and from now on what becomes due?"
    case .requestInstead(_, let name):
      return "\(name) wants to be asked before it is followed. Send a request, which is public, instead?"
    case .statements(let statements, let names): return statements.question(names)
    case .longList(_, let most): return "Read all of a list with more than \(most) members?"
    case .report(let report, let name):
      let what =
        switch report.subject {
        case .account: name
        case .record(let uri, _): "\(uri) of \(name)"
        }
      return "Report \(what) as \(report.reason.rawValue)? A report cannot be undone."
    case .blockReported(_, let name): return "Block \(name) as well?"
    case .signInElsewhere(let contradiction): return "Sign in at \(contradiction.target.pds) anyway?"
    }
  }
}

extension Wording {
  /// A question about a plan in a sentence: `Unfollow 874 of the 900 accounts you follow?`
  ///
  /// - Parameter rows: the first rows of the plan that change something, with the names to show.
  public func sentence(_ question: PlannedQuestion, showing rows: [ChangeRow]) -> String {
    question.words(rows, noting: words)
  }

  /// A note in a question.
  private func words(_ note: ChangeNote) -> String {
    guard note.code == .openJob, let job = note.job else { return note.description }
    return note.description + hinted(.showJob(job), after: ": ")
  }
}

extension PlannedQuestion {
  fileprivate func words(_ rows: [ChangeRow], noting note: (ChangeNote) -> String) -> String {
    if case .keepsEqual(let list)? = concern { return keeping(list, rows) }
    let others = plan.affected - agreed
    if agreed > 0 {
      return others > 0
        ? words(others, "besides what you have agreed to", rows: [])
        : words(plan.affected, "what you have agreed to", rows: [])
    }
    return words(plan.affected, details(note), rows: rows)
  }

  /// - Parameters:
  ///   - detail: additional facts; empty for none.
  ///   - rows: the first of what the change is about; the others are counted.
  private func words(_ number: Int, _ detail: String, rows: [ChangeRow]) -> String {
    let endsFollows = plan.affected > 0 && plan.unfollows == plan.affected
    let share = endsFollows ? plan.following.map { "\(number) of the \($0) accounts you follow" } : nil
    let names = rows.prefix(Counted.mostNames).map { $0.name ?? $0.input }
    let which = names.isEmpty ? "" : ": " + Counted.names(names, of: number)
    let end = detail.isEmpty ? "" : " (\(detail))"
    return "\(title.imperative) \(share ?? title.counted(number))\(which)\(title.place)\(end)?"
  }

  /// The concern, or else what is known besides.
  private func details(_ note: (ChangeNote) -> String) -> String {
    let lost = plan.unkeptFiles > 0 ? [UndoPreview.lost(plan.unkeptFiles)] : []
    if let concern {
      return ([concern.words(note)].filter { !$0.isEmpty } + lost).joined(separator: "; ")
    }
    if plan.followedAndBlocked > 0, plan.affected > 1 {
      return (["you follow \(plan.followedAndBlocked) of them"] + lost).joined(separator: "; ")
    }
    let affected = plan.changes.filter { !$0.steps.isEmpty }
    let notes = affected.count == 1 ? affected[0].notes.map(note) : []
    return (notes + lost).joined(separator: "; ")
  }

  /// What is added, and what is removed: `Add bob.test to Friends, remove dave.test from it?`
  private func keeping(_ list: String, _ rows: [ChangeRow]) -> String {
    let changed = plan.changes.filter { !$0.steps.isEmpty }.map(\.change)
    func accounts(_ changes: [ChangeIntent]) -> String? {
      let all = Set(changes.compactMap(\.account?.description))
      let names = rows.filter { $0.subject.map(all.contains) ?? false }.map { $0.name ?? $0.input }
      if all.isEmpty { return nil }
      return names.isEmpty ? Counted.words(all.count, "account") : Counted.names(names, of: all.count)
    }
    let added = accounts(changed.filter { $0.madeEdge?.kind == .listitem })
    let removed = accounts(changed.filter { $0.removedEdge?.kind == .listitem })
    return switch (added, removed) {
    case (let added?, let removed?): "Add \(added) to \(list), remove \(removed) from it?"
    case (let added?, nil): "Add \(added) to \(list)?"
    case (nil, let removed?): "Remove \(removed) from \(list)?"
    case (nil, nil): "Change \(list)?"
    }
  }
}

extension ChangeConcern {
  /// The concern as a phrase in a question; empty if it is only asked.
  fileprivate func words(_ note: (ChangeNote) -> String) -> String {
    switch self {
    case .foundBySignals: "found by signals such as handle and name, not by a proof"
    case .unseenRequests(let unseen, let now): unseen.count == 1 ? unseen[0].request.words(at: now) : ""
    case .hidesFollowed(let count): "you follow \(count) of the members"
    case .unblocks(let members?): "\(members) members"
    case .unblocks(nil): "how many members there are is unknown"
    case .replies(let left, let count): left.details(of: count).joined(separator: "; ")
    case .publishes(let composition, let repetition):
      ([repetition.map(note)].compactMap(\.self) + ["who may reply: \(composition.audience)"])
        .joined(separator: "; ")
    case .keepsEqual: ""
    }
  }
}
