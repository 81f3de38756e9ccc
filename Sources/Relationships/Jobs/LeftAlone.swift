// SPDX-License-Identifier: Apache-2.0

/// Why a step of a job is left alone; the journal keeps the sentence.
enum LeftAlone: Sendable, Hashable {
  case holdsAlready
  case isGone
  /// A commit that nobody knew of had removed it before this job came to it.
  case wasGone
  /// What an undo would make again was made by something else.
  case holdsAgain
  case nothingLeft
  /// A later job changed what an undo would take back.
  case changedByLaterJob
  /// Somebody changed the record at this path since it was read.
  case changed(String)
}

extension LeftAlone: CustomStringConvertible {
  var description: String {
    switch self {
    case .holdsAlready: "it holds already"
    case .isGone: "it is gone already"
    case .wasGone: "it was gone already"
    case .holdsAgain: "it holds again"
    case .nothingLeft: "nothing is left to take back"
    case .changedByLaterJob: "a later job changed it"
    case .changed(let record): "the record \(record) was changed since"
    }
  }
}
