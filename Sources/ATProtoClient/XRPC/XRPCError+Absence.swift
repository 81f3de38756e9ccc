// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

extension XRPCError {
  /// The names by which lexicons say that nobody is who was asked for.
  private static let namesOfAbsence: Set<XRPCErrorName> = [
    XRPCErrorName(rawValue: "ActorNotFound"), XRPCErrorName(rawValue: "DidNotFound"),
    XRPCErrorName(rawValue: "HandleNotFound"), XRPCErrorName(rawValue: "ProfileNotFound"),
  ]

  /// Whether the service itself says, in the protocol's own form, that nobody is who was asked for.
  ///
  /// Reference servers answer 400 `InvalidRequest` and say it in words only: `Profile not found`,
  /// `Unable to resolve handle`. Any other refusal (a login that is wanted, a page of a proxy, a redirect) tells
  /// nothing about an account; nor does a PDS that cannot pass the call on (`could not resolve proxy did`).
  package var saysNotFound: Bool {
    guard code == .refused, let name else { return false }
    if Self.namesOfAbsence.contains(name) { return true }
    guard status == 400, name.rawValue == "InvalidRequest" else { return false }
    let words = message.lowercased()
    if words.contains("proxy") { return false }
    return words.contains("not found") || words.contains("unable to resolve handle")
  }

  /// Whether an account exists but is not shown: `AccountTakedown`, `AccountDeactivated` (Q2). The lexicon of
  /// `getProfile` names none of these, so other names of the kind may come.
  package var saysHidden: Bool { code == .refused && name?.rawValue.hasPrefix("Account") == true }
}
