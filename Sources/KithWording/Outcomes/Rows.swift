// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithOperations

extension RowsOutcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    Counted.words(count, "row") + (ending == .done ? "" : "; \(ending.sentence)")
  }
}

extension ListMembers.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    Counted.words(rows.count, "member")
      + (doubt.map { "; others may be missing: \(wording.error($0))" } ?? "")
  }
}

extension CompletedOutcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String { ending.sentence }
}

extension CallMethod.Outcome: WordedOutcome {
  package func sentence(in wording: Wording) -> String { ending.sentence }
}
