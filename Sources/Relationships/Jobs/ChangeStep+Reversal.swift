// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

extension ChangeStep {
  /// What takes a step back.
  enum Reversal: Sendable, Hashable {
    /// Doing this does.
    case step(ChangeStep)
    /// Nothing does, for this reason.
    case impossible(String)
  }

  /// What takes the step back: its opposite, last write first.
  var reversal: Reversal {
    switch action {
    case .call(let call, let former?):
      return .step(ChangeStep(subject: subject, action: .call(former, former: call)))
    case .call:
      return .impossible("what was before is not known")
    case .write(let writes):
      let reversed = writes.reversed().compactMap(\.reversed)
      guard reversed.count == writes.count else {
        return .impossible("what a record said before is not known")
      }
      return .step(ChangeStep(subject: subject, action: .write(reversed)))
    }
  }
}

extension RecordWrite {
  fileprivate var reversed: RecordWrite? {
    switch action {
    case .create(let value):
      RecordWrite(collection: collection, rkey: rkey, action: .delete(former: value))
    case .update(let value, let former?):
      RecordWrite(collection: collection, rkey: rkey, action: .update(former, former: value))
    case .delete(let former?):
      RecordWrite(collection: collection, rkey: rkey, action: .create(former))
    case .update, .delete:
      nil
    }
  }
}
