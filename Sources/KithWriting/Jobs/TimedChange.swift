// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

/// Something that a job did, or is about to do, of which only the journal knows all: when it ends, or that a mute hides
/// only a part.
package struct TimedChange: Sendable, Hashable {
  /// The job.
  package var job: Job
  /// What it did.
  package var item: JobItem

  /// Creates a standing change.
  package init(job: Job, item: JobItem) {
    self.job = job
    self.item = item
  }

  /// When it is to be undone; nil if it is permanent.
  package var until: Datetime? { item.until }

  /// The account that it is about; nil for a list.
  package var account: DID? { if case .account(let account) = item.step.subject { account } else { nil } }

  /// The muted account and the scope; nil unless it is a mute.
  package var mute: (account: DID, scope: MuteScope)? {
    if case .mute(let account, let scope) = item.step.call { (account, scope) } else { nil }
  }
}

extension ChangeStep {
  /// Whether it is a mute of a part.
  package var mutesPart: Bool {
    if case .mute(_, let scope) = call { scope != .everything } else { false }
  }

  /// Whether it removes a record that the other step made.
  package func removes(whatWasMadeBy other: ChangeStep) -> Bool {
    let made = Set(other.writes.lazy.filter(\.makesRecord).map(\.name))
    return writes.contains { !$0.makesRecord && made.contains($0.name) }
  }
}
