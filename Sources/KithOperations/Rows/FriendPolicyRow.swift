// SPDX-License-Identifier: Apache-2.0

import KithCore
public import KithRelationships

/// The policy of an account.
public struct FriendPolicyRow: OperationRow {
  /// The account.
  public let view: AccountView
  /// Its policy; nil if it does not take part.
  public let policy: FriendPolicy?
  /// Whether it wants to be asked before it is followed on Weaver.
  public let approvesOnWeaver: Bool

  public static let fieldNames = [
    "did", "handle", "takesPart", "whoMayAsk", "requireApproval", "requestLifetime", "approvesOnWeaver",
  ]

  public func write(to fields: inout RowEncoder) {
    fields.text(view.account.description)
    fields.text(view.handle?.description)
    fields.flag(policy != nil)
    fields.text(policy?.whoMayAsk.word)
    fields.flag(policy?.requiresApproval)
    fields.number(policy?.requestLifetime.map { Int($0.components.seconds) })
    fields.flag(approvesOnWeaver)
  }
}
