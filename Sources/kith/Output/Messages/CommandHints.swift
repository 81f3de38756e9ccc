// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithRelationships
import KithWriting

// Adds to the descriptions of the libraries which command to run, depending on their codes.

extension ChangeNote {
  /// The description, with a hint if the command knows one.
  var sentence: String {
    switch (code, job) {
    case (.openJob, let job?): "\(description): kith jobs show \(job)"
    default: description
    }
  }
}

extension ChangeRefusal {
  /// The description, with a hint if the command knows one.
  var sentence: String {
    switch (code, job) {
    case (.awaited, let job?):
      "\(description); continue with: kith jobs resume \(job), or cancel with: kith jobs cancel \(job)"
    case (.unsettled, let job?): "\(description); settle that with: kith jobs resume \(job)"
    case (.contested, let job?):
      "\(description); try again when it is done: kith jobs show \(job), or cancel it with: kith jobs cancel \(job)"
    case (.noSuchList, _): "\(description); kith lists shows your lists"
    case (.followed, _): "\(description); use --allow-mutuals to add the account anyway"
    case (.approvalRequired, _):
      "\(description): kith friends request --kind follow; --allow-unapproved follows anyway"
    case (.mutedOtherwise, _): "\(description); remove the mute with kith unmute, without --only"
    default: description
    }
  }
}

extension JobError {
  /// The description, with a hint if the command knows one.
  var sentence: String {
    switch (code, job) {
    case (.notFound, _): "\(description); kith jobs lists all jobs"
    case (.inDoubt, let job?): "\(description): kith jobs resume \(job)"
    case (.wrongAccount, _): "\(description); sign in to that account, or select it with --account"
    default: description
    }
  }
}
