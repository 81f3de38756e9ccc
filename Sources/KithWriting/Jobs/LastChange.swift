// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// The last thing that was to change something and made no job: it changed nothing, was about an existing job, or
/// changes what no job does.
package struct LastChange: Sendable, Hashable {
  /// What became of it.
  package enum Outcome: String, Sendable, Hashable, CaseIterable {
    /// Nothing had to be changed, or nothing could be.
    case nothing
    /// It took effect.
    case done
    /// It took effect, and was taken back.
    case takenBack
  }

  /// What it did, in one or two words: `people dismiss`.
  package var title: String
  /// What became of it.
  package var outcome: Outcome
  /// The job that it was about; nil if it was not about one.
  package var job: JobID?
  /// How it is taken back, in the form of who remembers it; nil if it cannot be taken back.
  package var reversal: String?

  /// Creates a change.
  package init(_ title: String, _ outcome: Outcome, job: JobID? = nil, reversal: String? = nil) {
    (self.title, self.outcome, self.job, self.reversal) = (title, outcome, job, reversal)
  }
}

/// A remembered change, and its place among the jobs.
package struct RememberedChange: Sendable, Hashable {
  /// The change.
  package var change: LastChange
  /// When it was made.
  package var at: Datetime
  /// The account that made it; nil if it concerns all accounts of this journal.
  package var account: DID?
  /// The newest job that the journal had given a number by then: one with a higher number was made later, whatever
  /// the clock says.
  package var newestJob: JobID

  /// Creates a value.
  package init(_ change: LastChange, at: Datetime, by account: DID?, newestJob: JobID) {
    (self.change, self.at, self.account, self.newestJob) = (change, at, account, newestJob)
  }
}
