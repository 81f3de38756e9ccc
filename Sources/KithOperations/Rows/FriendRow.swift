// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

/// A friend or a mutual.
public struct FriendRow: OperationRow {
  /// How two accounts are related.
  public enum Basis: String, Sendable, CaseIterable {
    /// One has asked, and the other one has accepted.
    case consent
    /// They follow each other.
    case mutuals
  }

  /// The account.
  public var view: AccountView
  /// Whether they are friends by consent, or follow each other.
  public let basis: Basis
  /// When the request was accepted, or the account was followed.
  public let since: Datetime?
  /// The request; nil for a mutual.
  public let request: ATURI?
  /// Its acceptance; nil for a mutual.
  public let answer: ATURI?

  init(_ friend: Friend, named view: AccountView?) {
    self.view = view ?? AccountView(friend.account)
    basis = .consent
    since = friend.since
    (request, answer) = (friend.request.uri, friend.answer.uri)
  }

  init(mutual view: AccountView) {
    self.view = view
    basis = .mutuals
    since = view.since
    (request, answer) = (nil, nil)
  }

  public static let fieldNames = ["did", "handle", "displayName", "by", "since", "request", "answer"]

  public func write(to fields: inout RowEncoder) {
    fields.text(view.account.description)
    fields.text(view.handle?.description)
    fields.text(view.displayName)
    fields.text(basis.rawValue)
    fields.text(since?.description)
    fields.text(request?.description)
    fields.text(answer?.description)
  }
}
