// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// A person that was found, and what speaks for it.
public struct PersonRow: OperationRow {
  /// A label with the name of its source.
  public struct Label: Sendable, Hashable {
    public let label: AccountMarks.Label
    /// The handle of the source; nil if it is unknown.
    public let sourceName: String?
  }

  /// A list that both are on, or that one of them has made.
  public struct List: Sendable, Hashable {
    public let uri: ATURI
    public let name: String
    /// Whether it is that of a starter pack.
    public let isOfPack: Bool
  }

  public let view: AccountView
  /// Labels with their sources.
  public let labels: [Label]
  /// How close the account is; nil unless it was looked for in the graph.
  public let closeness: Closeness?
  /// Accounts that are followed and that follow it, at most eight.
  public let followedBy: [AccountView]
  /// Lists that speak for it.
  public let lists: [List]
  /// Whether it asks to be left out of recommendations; nil if that was not asked.
  public let isOptedOut: Bool?

  /// Fields: did, handle, displayName, relationship (of the signed-in account with it, in the words of
  /// `ViewerRelationship.Word`), muted, followers, follows, knownFollowers (how many of your follows follow it, if
  /// the AppView says), verified, labels (each with value, source and sourceName), since (when it followed), common (how many
  /// of the accounts that were looked at follow it), followedBy (the most telling of them), lists (each with uri and name),
  /// score, optOutChecked (whether it is known that it does not ask to be left out of recommendations). Null if unknown, or not a
  /// part of the question.
  public static let fieldNames = [
    "did", "handle", "displayName", "relationship", "muted", "followers", "follows", "knownFollowers",
    "verified", "labels", "since", "common", "followedBy", "lists", "score", "optOutChecked",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(view.account.description)
    fields.text(view.handle?.description)
    fields.text(view.displayName)
    fields.text(view.relationship?.word.rawValue)
    fields.flag(view.relationship?.muted)
    fields.number(view.counts?.followers)
    fields.number(view.counts?.follows)
    fields.number(view.relationship?.knownFollowers)
    fields.flag(view.marks?.isVerified)
    fields.value(
      view.marks == nil
        ? .null
        : .array(
          labels.map { label in
            .object([
              OutputField("value", .string(label.label.value)),
              OutputField("source", .string(label.label.source.description)),
              OutputField("sourceName", .text(label.sourceName)),
            ])
          }))
    fields.text(view.since?.description)
    fields.number(closeness?.paths)
    fields.value(closeness == nil ? .null : .array(followedBy.map { .string($0.name) }))
    fields.value(
      closeness == nil
        ? .null
        : .array(
          lists.map { list in
            .object([
              OutputField("uri", .string(list.uri.description)), OutputField("name", .string(list.name)),
            ])
          }))
    fields.number(digits: closeness.map { "\((($0.score * 1_000).rounded()) / 1_000)" })
    fields.flag(isOptedOut.map { !$0 })
  }
}
