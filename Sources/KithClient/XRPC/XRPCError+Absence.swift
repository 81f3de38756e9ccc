// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension XRPCError {
  /// The error names by which lexicons say that an account does not exist.
  private static let namesOfAbsence: Set<XRPCErrorName> = [
    XRPCErrorName(rawValue: "ActorNotFound"), XRPCErrorName(rawValue: "DidNotFound"),
    XRPCErrorName(rawValue: "HandleNotFound"), XRPCErrorName(rawValue: "ProfileNotFound"),
  ]

  /// The error names by which lexicons say that a post or a list does not exist. Gateways use such names, too, for a path that
  /// they do not know, but with another status.
  private static let namesOfAbsentRecords: Set<XRPCErrorName> = [
    XRPCErrorName(rawValue: "NotFound"), XRPCErrorName(rawValue: "UnknownList"),
  ]

  /// Whether the service says, in the form of the protocol, that the requested account, post or list does not exist.
  ///
  /// Reference servers return 400 `InvalidRequest` and only say it in the message: `Profile not found`,
  /// `Unable to resolve handle`. Other refusals (a required login, a page of a proxy, a redirect) say nothing
  /// about an account; nor does a PDS that cannot pass the call on (`could not resolve proxy did`).
  package var saysNotFound: Bool {
    guard code == .refused, let name else { return false }
    if Self.namesOfAbsence.contains(name) { return true }
    guard status == 400 else { return false }
    if Self.namesOfAbsentRecords.contains(name) { return true }
    guard name.rawValue == "InvalidRequest" else { return false }
    let words = message.lowercased()
    if words.contains("proxy") { return false }
    return words.contains("not found") || words.contains("unable to resolve handle")
  }

  /// Whether an account exists but is not shown: `AccountTakedown`, `AccountDeactivated` (Q2). The lexicon of
  /// `getProfile` does not list these names, so there may be others like them.
  package var saysHidden: Bool { code == .refused && name?.rawValue.hasPrefix("Account") == true }

  /// Which block hides what was asked for: `BlockedActor`, `BlockedByActor` (lexicon
  /// `app.bsky.feed.getAuthorFeed`). Nil for any other error.
  package var hidingBlock: HidingBlock? {
    guard code == .refused, let name else { return nil }
    return HidingBlock.allCases.first { $0.rawValue == name.rawValue }
  }

  /// A block that hides an account from the viewer.
  package enum HidingBlock: String, Sendable, Hashable, CaseIterable {
    /// The viewer blocks the account.
    case byViewer = "BlockedActor"
    /// The account blocks the viewer.
    case byAccount = "BlockedByActor"
  }
}
