// SPDX-License-Identifier: Apache-2.0

/// Who may say which account a handle belongs to.
public enum HandleSource: String, Sendable, Hashable, CaseIterable {
  /// An AppView that was asked: a hint, for it may lie or be stale.
  case appview
  /// The DNS record `_atproto.HANDLE`.
  case dns
  /// `https://HANDLE/.well-known/atproto-did`.
  case https
  /// A resolver that the user named, for handles of a local network.
  case resolver
}
