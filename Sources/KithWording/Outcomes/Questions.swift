// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithOperations
public import KithRelationships

extension CheckRelationships.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    wording.checked(summary, isWhole: !(rows.interruption is CancellationError))
  }
}

extension Wording {
  /// What the answers of a check amount to.
  ///
  /// - Parameter isWhole: false if the run was interrupted before its last row.
  public func checked(_ summary: CheckSummary, isWhole: Bool) -> String {
    let nouns = [
      "followedBy": "followed by", "notFound": "not found",
      "errors": summary.errors == 1 ? "error" : "errors",
    ]
    let words =
      summary.counts.map { "\($0.value) \(nouns[$0.field] ?? $0.field)" }
      + (summary.notListable.map { ["\($0) not listable"] } ?? [])
    let end =
      summary.stopsEarly
      ? "; stopped at the first error" : isWhole ? "" : "; interrupted before the rest was checked"
    return "\(summary.rows) checked: \(words.joined(separator: ", "))\(costWords)\(end)"
  }

  /// What a listing, or the last of several, has listed.
  ///
  /// - Parameters:
  ///   - rows: the rows of all.
  ///   - isCut: whether others were left out, because there are enough rows.
  public func listed(_ outcome: ListAccounts.Outcome, rows: Int, isCut: Bool = false) -> String {
    let (missing, isAtEnd) = (outcome.report.coverage.missing, outcome.isAtEnd && !isCut)
    let isWhole = !(outcome.rows.interruption is CancellationError)
    let more =
      outcome.cursor.flatMap { hint(.continueFrom(.listing($0))) }.map { "; \($0)" }
      ?? (isAtEnd || !isWhole ? "" : "; there are more")
    let notListable = isAtEnd && missing > 0 ? ", \(missing) not listable" : ""
    let by = outcome.source == .daemon ? " by the daemon" : ""
    return "\(rows) listed\(by)\(notListable)\(costWords)" + (isWhole ? "" : "; interrupted") + more
  }
}

extension ListAccounts.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String { wording.listed(self, rows: rows.count) }
}

extension ResolveIdentities.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    "\(rows.count) resolved" + (failures.count > 0 ? ", \(failures.count) failed" : "")
  }
}

extension CompareGraphs.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    "\(inBoth) in both, \(onlyInFirst) only in \(first.name), \(onlyInSecond) only in \(second.name)"
  }
}

extension CompareAppViews.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    let differences = firstIsRight + otherIsRight + unsettled
    var text = "\(Counted.words(compared, "account")) compared"
    if differences == 0 {
      // Comparing nothing does not show that they agree.
      if compared > 0 { text += ": no differences" }
    } else {
      text +=
        ", \(Counted.words(differences, "difference")): \(first) is right about \(firstIsRight), "
        + "\(other) about \(otherIsRight); \(unsettled) not settled"
    }
    return isPart
      ? text + "; of your follows, blocks and followers, only the newest were compared" : text
  }
}

extension AuditAccount.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String { wording.audited(counts, coverage) }
}

extension Wording {
  /// What an audit has found, and what it could not examine.
  public func audited(_ counts: [AuditFinding.Kind: Int], _ coverage: AuditCoverage) -> String {
    let problems = counts.filter { $0.key.isProblem }.values.reduce(0, +)
    let told = counts.values.reduce(0, +) - problems
    let isWhole = coverage.faults.isEmpty
    let nothing = isWhole ? "no problems" : "no problems in the parts that could be examined"
    var parts = [problems == 0 ? nothing : Counted.words(problems, "problem")]
    if !isWhole { parts.append("\(Counted.words(coverage.faults.count, "part")) not fully examined") }
    if told > 0 { parts.append(Counted.words(told, "note")) }
    if coverage.undecided > 0 {
      let why = coverage.undecidedFault.map { " (first: \(error($0)))" } ?? ""
      parts.append("\(coverage.undecided) could not be decided\(why)")
    }
    if coverage.follows > 0 { parts.append("\(Counted.words(coverage.follows, "follow")) read") }
    return parts.joined(separator: ", ") + costWords
  }
}
