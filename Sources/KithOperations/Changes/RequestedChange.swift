// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships
package import KithWriting

/// One requested change.
package struct RequestedChange: Sendable {
  /// The name as typed or read from a file.
  package let input: String
  /// The change, or why the name is unusable.
  package let change: Result<ChangeIntent, any Error>
  /// Whether its account is known to exist, for example because a server has just returned it.
  package let isResolved: Bool

  package init(_ input: String, _ change: Result<ChangeIntent, any Error>, isResolved: Bool = true) {
    self.input = input
    self.change = change
    self.isResolved = isResolved
  }

  /// The request to the engine; nil if the name is unusable.
  package var named: ChangePlan.Request? {
    (try? change.get()).map { ChangePlan.Request(input, $0, isResolved: isResolved) }
  }
}

extension SelectedAccounts {
  /// A change of each account.
  package func requests(_ change: (DID) -> ChangeIntent) -> [RequestedChange] {
    members.map { member in
      RequestedChange(
        member.name, member.account.mapError { $0 as any Error }.map(change), isResolved: member.isResolved)
    }
  }
}
