// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithRelationships
import KithWriting

/// Follows the accounts of contacts that are found by their names elsewhere.
public struct FollowContacts: ChangeSource {
  public static let name = "followContacts"

  /// The contacts.
  public var contacts: [Contact]

  public init(_ contacts: [Contact]) { self.contacts = contacts }

  public var title: ChangeTitle { .follow }

  public var confirmation: ConfirmationRule { ConfirmationRule(chosenBy: .found) }

  public func prepare(_ preparation: ChangePreparation) async throws -> PreparedChanges {
    let selected = PosixMutex<[ContactRow]>([])
    let outcome = try await MatchContacts(contacts).run(
      in: preparation.workspace,
      Reporter(
        rows: { rows in selected.withLock { $0 += rows.filter(\.isSelected) } }, note: preparation.note,
        progress: preparation.report.progress))
    preparation.note(.contactsMatched(outcome))
    if let interruption = outcome.rows.interruption { throw interruption }
    var prepared = PreparedChanges(
      selected.withLock(\.self).map { RequestedChange($0.view.name, .success(.follow($0.view.account))) })
    prepared.concern = { _ in .foundBySignals }
    return prepared
  }

  public func add(to estimate: inout ChangeEstimate) async throws {
    try await estimate.read([.edges(.follow)])
    estimate.costs =
      estimate.costs + (try await MatchContacts(contacts).cost(in: estimate.workspace, estimate.note))
    estimate.addCounted(contacts.count) { .follow($0) }
  }
}
