// SPDX-License-Identifier: Apache-2.0

import KithWriting

/// Which plans are asked about before they are carried out.
///
/// Whatever the rule is, very many follows or unfollows are asked about, and so is what a source has a concern about.
public struct ConfirmationRule: Sendable, Hashable {
  /// The fewest changes that are asked about in any case; nil to ask by ``choice`` alone.
  public var fewest: Int?
  /// Who has chosen the accounts: several that the user has not named are asked about.
  public var choice: TargetChoice

  public init(from fewest: Int? = nil, chosenBy choice: TargetChoice = .named) {
    (self.fewest, self.choice) = (fewest, choice)
  }

  /// Every plan that changes something.
  public static let always = ConfirmationRule(from: 1)

  /// Whether a plan is asked about.
  ///
  /// - Parameter agreed: how many of its changes were agreed to in a question of their own.
  func asks(about plan: ChangePlan, agreedTo agreed: Int) -> Bool {
    if let fewest, plan.affected >= fewest + agreed { return true }
    return choice.needsAnswer(to: plan)
      || plan.warning.map { $0.follows > MassChangeWarning.mostFollows } ?? false
  }
}
