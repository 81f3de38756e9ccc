// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import RelationshipWriting
import Relationships

// The sentences of the libraries on changes and jobs, with what the command adds by their codes: what to type.

extension ChangeNote {
  /// What it says, and the way out where the command knows one.
  var sentence: String {
    switch (code, job) {
    case (.openJob, let job?): "\(description): kith jobs show \(job)"
    default: description
    }
  }
}

extension ChangeRefusal {
  /// What it says, and the way out where the command knows one.
  var sentence: String {
    switch (code, job) {
    case (.awaited, let job?):
      "\(description): kith jobs resume \(job) goes on with it, kith jobs cancel \(job) gives it up"
    case (.noSuchList, _): "\(description); kith lists shows those that you have"
    case (.followed, _): "\(description); --allow-mutuals adds it anyway"
    case (.mutedOtherwise, _): "\(description); kith unmute without --only ends it"
    default: description
    }
  }
}

extension JobError {
  /// What it says, and the way out where the command knows one.
  var sentence: String {
    switch (code, job) {
    case (.notFound, _): "\(description); kith jobs lists those that there are"
    case (.inDoubt, let job?): "\(description): kith jobs resume \(job)"
    case (.wrongAccount, _): "\(description); sign in to that account, or name it with --account"
    default: description
    }
  }
}
