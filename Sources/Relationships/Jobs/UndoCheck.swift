// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Whether a step that takes another one back may be done, now that the records are known.
///
/// Only what the job itself made or removed is taken back: what the user changed since then is left alone. One
/// record that was changed leaves its whole step alone, for steps are not split.
enum UndoCheck: Sendable, Hashable {
  /// Do this much of it.
  case proceed(ChangeStep)
  /// Leave it alone, for this reason.
  case leave(String)

  /// Compares each write with the record as it is.
  ///
  /// - Parameter present: what each record says now, in the order of the writes; nil where there is none.
  init(_ step: ChangeStep, present: [DataValue?]) {
    guard case .write(let writes) = step.action else {
      self = .proceed(step)
      return
    }
    var needed: [RecordWrite] = []
    for (write, present) in zip(writes, present) {
      switch write.standing(beside: present) {
      case .needed: needed.append(write)
      case .holds: break
      case .changed:
        self = .leave("the record \(write.collection)/\(write.rkey) was changed since")
        return
      }
    }
    self =
      needed.isEmpty
      ? .leave("nothing is left to take back")
      : .proceed(ChangeStep(subject: step.subject, action: .write(needed)))
  }
}

extension RecordWrite {
  fileprivate enum Standing {
    case needed, holds, changed
  }

  fileprivate func standing(beside present: DataValue?) -> Standing {
    switch action {
    case .create(let value): present == nil ? .needed : present == value ? .holds : .changed
    case .update(let value, let former): present == value ? .holds : present == former ? .needed : .changed
    case .delete(let former): present == nil ? .holds : present == former ? .needed : .changed
    }
  }
}
