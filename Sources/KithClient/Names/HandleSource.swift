// SPDX-License-Identifier: Apache-2.0

/// The sources that can say which account a handle belongs to.
public enum HandleSource: String, Sendable, Hashable, CaseIterable {
  /// An AppView: a hint, because it may lie or be stale.
  case appview
  /// The DNS record `_atproto.HANDLE`.
  case dns
  /// `https://HANDLE/.well-known/atproto-did`.
  case https
  /// A resolver that the user named, for handles of a local network.
  case resolver
}
