// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWording
import KithWriting

// Adds to the sentences and descriptions of the libraries which command to run.

extension Wording {
  /// The sentences of the command.
  static let command = Wording(error: { Message(any: $0).text }, hint: \.command)

  /// The sentences of the command, with what a run took.
  static func command(_ cost: CallCost, elapsed: Duration) -> Wording {
    var wording = command
    wording.cost = "\(Message.counted(cost.calls, "call")), \(DurationText.seconds(elapsed)) s"
    return wording
  }
}

extension Hint {
  /// What to type.
  var command: String? {
    switch self {
    case .showMembers: "kith lists show prints its members"
    case .removeOwnFollow(let handle, let graph): "remove with kith unfollow \(handle) --graph \(graph.name)"
    case .findDeleted: "find them with kith doctor"
    case .continueFrom(.listing(let cursor)): "continue with \(cursor.description.asValue(of: "--cursor"))"
    case .continueFrom(.feed(let cursor)): "continue with \(cursor.asValue(of: "--cursor"))"
    case .continueFrom(.after(let count)): "continue with --after \(count)"
    case .beginFeed(let selection): selection.beginning
    case .findPeople: "start with: kith people suggested, kith people search TEXT"
    case .askFriends: "ask with: kith friends request ACCOUNT"
    case .makeFirst(let thing): thing.command
    case .resume(let job): "kith jobs resume \(job)"
    case .showJob(let job): "kith jobs show \(job)"
    case .findDuplicates: "kith doctor finds duplicate follows, blocks and members"
    case .confirmDue: "run kith jobs due on a terminal, where it asks, or with --yes"
    case .refreshListings: "kith stats --refresh lists them again"
    case .exportGraphs(let graphs):
      "export all with --graph bluesky "
        + graphs.map(\.name).filter { $0 != FollowGraph.bluesky.name }.map { $0.asValue(of: "--graph") }
        .joined(separator: " ")
    case .followFollowers: "--as follow follows them"
    case .readAsAccounts: "--as is about accounts"
    case .setElsewhere: "see the file; set those of posts in your app, those of kith with kith config"
    case .importStatements(let count, let kinds):
      "import \(count == 1 ? "it" : "them") with --only \(kinds.joined(separator: " "))"
    case .importGraphs(let graphs): "add \(graphs.map { "--graph \($0)" }.joined(separator: " "))"
    case .showJobs: "see kith jobs"
    case .changePace: "--per-hour and --per-day change that"
    case .namedAccounts: "named on the command line"
    case .confirmStatements(let kinds): "with --yes they need --only \(kinds.joined(separator: " "))"
    case .useSegment(let name): "use it as --where \"segment \(name)\""
    }
  }
}

extension Hint.Thing {
  /// How to make the first one.
  fileprivate var command: String {
    switch self {
    case .goal: "set one with kith goal NUMBER"
    case .watchedAccount: "add one with kith watch add ACCOUNT"
    case .request: "send one with: kith friends request ACCOUNT"
    }
  }
}

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
    case (.notProposed, let job?): "\(description): kith jobs show \(job)"
    case (.otherPlan, let job?): "\(description); see it with kith jobs show \(job)"
    case (.planChanged, let job?):
      "\(description); reject it with kith jobs reject \(job), and propose it again"
    default: description
    }
  }
}
