// SPDX-License-Identifier: Apache-2.0

extension PlannedChange {
  /// The end of a mute, where it is one of that scope; another one is left alone (an account has one mute: Q9).
  public func ending(only scope: MuteScope) -> PlannedChange {
    guard case .unmute = change, let step = steps.first, case .call(_, let former) = step.action else {
      return self
    }
    switch former {
    case .mute(_, scope): return self
    case .mute(_, let other): return PlannedChange(change, .refused(.mutedOtherwise(other)), notes: notes)
    default: return PlannedChange(change, .refused(.notLearned("how it is muted")), notes: notes)
    }
  }
}

extension ChangeRefusal.Code {
  /// The account is muted, but in another scope.
  public static let mutedOtherwise = Self(rawValue: "mutedOtherwise")
}

extension ChangeRefusal {
  static func mutedOtherwise(_ scope: MuteScope) -> ChangeRefusal {
    let what = scope == .everything ? "muted altogether" : "muted for its \(scope.rawValue)"
    return ChangeRefusal(.mutedOtherwise, "it is \(what): unmute without --only ends that")
  }
}
