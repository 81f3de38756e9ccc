// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
public import KithRelationships

/// A relationship that one AppView shows and another does not.
public struct AppViewDifferenceRow: OperationRow {
  /// The account whose relationships are compared.
  public let actor: DID
  /// The other account.
  public let view: AccountView
  /// The relationship, named as in rows of relationships: `following`, `followedBy`.
  public let relation: String
  /// The record, or the list, that the one AppView names.
  public let record: ATURI
  /// Whether the AppView that is compared shows it, and not that of the workspace.
  public let isShownByOther: Bool
  /// The AppView that shows it.
  public let shownBy: ServiceURL
  /// What the repository says, or why that is unknown; nil for a relationship that no repository alone settles.
  let settled: Result<Bool, any Error>?

  /// Whether the repository has such a record, so that the AppView is right that shows it; nil if that is unknown.
  public var repository: Bool? { try? settled?.get() }
  /// Why that is unknown.
  public var error: (any Error)? { if case .failure(let error)? = settled { error } else { nil } }

  /// Fields: actor, target, handle, displayName, relation (following, followedBy, blocking, blockedBy, blockingByList,
  /// blockedByList), shownBy (the AppView that shows it), repository (whether the repository has it; null if that is
  /// unknown), record, error.
  public static let fieldNames = [
    "actor", "target", "handle", "displayName", "relation", "shownBy", "repository", "record", "error",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(actor)
    fields.text(view.account.description)
    fields.text(view.handle?.description)
    fields.text(view.displayName)
    fields.text(relation)
    fields.text("\(shownBy)")
    fields.flag(repository)
    fields.text(record.description)
    fields.text(error.map { "\($0)" })
  }
}
