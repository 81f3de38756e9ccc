// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting

extension ChangeStep {
  /// The writes or calls of the step in short, for people.
  func summary(in account: DID) -> [String] {
    switch action {
    case .write(let writes): writes.map { $0.summary(in: account) }
    case .call(let call, _): [call.summary]
    case .decline(let decline):
      [decline.isTakenBack ? "no longer decline the request" : "decline the request"]
    case .end(let change): [change.until == nil ? "make permanent" : "change the end"]
    }
  }
}

extension RecordWrite {
  /// What the write means to people: `follow`, `unblock`, `add to list`.
  fileprivate func summary(in account: DID) -> String {
    let meaning: (created: String, deleted: String)? =
      switch collection {
      case .follow: ("follow", "unfollow")
      case .block: ("block", "unblock")
      case .listitem: ("add to the list", "remove from the list")
      case .list: ("create the list", "delete the list")
      case .listblock: ("block the list", "unblock the list")
      case FriendRequest.collection: ("ask", "withdraw the request")
      case FriendAnswer.collection: ("accept the request", "take the acceptance back")
      case FriendPolicy.collection: ("declare the policy", "leave friend requests")
      default: FollowGraph(collection).map { ("follow in \($0.name)", "unfollow in \($0.name)") }
      }
    switch (action, meaning) {
    case (.create, let meaning?): return meaning.created
    case (.delete, let meaning?): return meaning.deleted
    default: return "\(word) \(uri(in: account))"
    }
  }
}

extension ViewerCall {
  fileprivate var summary: String {
    switch self {
    case .mute: "mute" + (scope.map { ", only \($0.rawValue)" } ?? "")
    case .unmute: "unmute"
    case .muteList: "mute the list"
    case .unmuteList: "unmute the list"
    }
  }
}
