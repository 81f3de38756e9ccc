// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// What is done for one subject: as a whole or not at all.
public struct ChangeStep: Sendable, Hashable {
  /// How it is done.
  public enum Action: Sendable, Hashable {
    /// Writes to the account's repository that go in one commit together; never empty, at most
    /// ``RecordWrite/mostPerCommit``.
    case write([RecordWrite])
    /// A call that the account's AppView keeps. `former` is the call that would bring back what was before;
    /// nil where nothing is to be brought back or it is not known.
    case call(ViewerCall, former: ViewerCall?)
  }

  /// Whom it concerns: the account that is followed, blocked, muted or listed; nil where it is no account.
  public var subject: DID?
  /// How it is done.
  public var action: Action

  /// Puts together whom a step concerns and how it is done.
  public init(subject: DID?, action: Action) {
    self.subject = subject
    self.action = action
  }

  /// What it writes; nothing where it is a call.
  public var writes: [RecordWrite] { if case .write(let writes) = action { writes } else { [] } }

  /// Points of the write budget that it costs; calls cost none.
  public var points: Int { writes.reduce(0) { $0 + $1.points } }
}

extension ChangeStep {
  /// Writes about one subject in one commit, or in several for the hundreds of duplicates that only an accident
  /// makes.
  static func steps(_ subject: DID?, _ writes: [RecordWrite]) -> [ChangeStep] {
    writes.parts(of: RecordWrite.mostPerCommit).map { ChangeStep(subject: subject, action: .write($0)) }
  }
}
