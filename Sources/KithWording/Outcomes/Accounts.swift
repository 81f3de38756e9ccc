// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
public import KithOperations

extension SignInAccount.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    switch self {
    case .signedIn(let session): "signed in as \(session.handle) at \(session.pds.authority)"
    case .declined: ending.sentence
    }
  }
}

extension SwitchAccount.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String { "acting as \(session.handle)" }
}

extension SignOutAccounts.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    count == 0
      ? "no account was signed in"
      : "\(Counted.words(count, "account")) signed out"
        + (failures.isEmpty ? "" : ", \(failures.count) not revoked or not removed")
  }
}

extension ListSignedInAccounts.Outcome: WordedOutcome {
  public func sentence(in wording: Wording) -> String {
    rows.count == 0
      ? "no account is signed in"
      : Counted.words(rows.count, "account") + (failures.isEmpty ? "" : ", \(failures.count) not usable")
  }
}
