// SPDX-License-Identifier: Apache-2.0

public import KithClient

/// A name that leads to another account or server than at the last sign-in.
public struct SignInContradiction: Sendable {
  /// Where it leads now.
  public let target: SignInTarget
  package let before: KnownAccounts.Entry
}
