// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// An account on a list.
public struct ListMember: Sendable, Hashable {
  /// Who it is.
  public let account: DID
  /// Its handle, where it was learned; `handle.invalid` where it is broken.
  public let handle: Handle?
  /// The record that puts it on the list.
  public let item: ATURI
  /// When it came onto the list, by the word of whoever put it there; nil where that was not learned.
  public let since: Datetime?

  /// Puts together who is on a list, and by which record.
  public init(account: DID, handle: Handle? = nil, item: ATURI, since: Datetime? = nil) {
    self.account = account
    self.handle = handle
    self.item = item
    self.since = since
  }
}
