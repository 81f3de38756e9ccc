// SPDX-License-Identifier: Apache-2.0

public import KithCore
public import KithRelationships

extension DID {
  /// The display name of the account: its handle, or the DID if the handle is invalid.
  public func name(in view: AccountView?) -> String {
    if let handle = view?.handle, !handle.isInvalid { return handle.description }
    return description
  }
}

extension AccountView {
  /// The handle, or the DID of an account without a valid one.
  package var name: String { account.name(in: self) }
}
