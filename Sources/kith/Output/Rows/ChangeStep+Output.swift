// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting

extension ChangeStep {
  /// The subject in rows; the AT-URI for a new list.
  func subjectText(in account: DID) -> String {
    if case .listName = subject, let write = writes.first { return write.uri(in: account) }
    return subject.description
  }

  /// The writes or calls of the step in full, for programs.
  func outputs(in account: DID) -> [OutputValue] {
    switch action {
    case .write(let writes): writes.map { $0.output(in: account) }
    case .call(let call, _): [call.output]
    }
  }

  /// The writes or calls of the step in short, for people.
  func summary(in account: DID) -> [String] {
    switch action {
    case .write(let writes): writes.map { $0.summary(in: account) }
    case .call(let call, _): [call.summary]
    }
  }
}

extension RecordWrite {
  /// The AT-URI of the record.
  func uri(in account: DID) -> String { "at://\(account)/\(collection)/\(rkey)" }

  /// What the write means to people: `follow`, `unblock`, `add to list`.
  fileprivate func summary(in account: DID) -> String {
    let meaning: (created: String, deleted: String)? =
      switch collection {
      case .follow: ("follow", "unfollow")
      case .block: ("block", "unblock")
      case .listitem: ("add to the list", "remove from the list")
      case .list: ("create the list", "delete the list")
      case .listblock: ("block the list", "unblock the list")
      default: nil
      }
    switch (action, meaning) {
    case (.create, let meaning?): return meaning.created
    case (.delete, let meaning?): return meaning.deleted
    default: return "\(word) \(uri(in: account))"
    }
  }

  fileprivate var word: String {
    switch action {
    case .create: "create"
    case .update: "update"
    case .delete: "delete"
    }
  }

  fileprivate func output(in account: DID) -> OutputValue {
    let record: DataValue? =
      switch action {
      case .create(let value), .update(let value, _): value
      case .delete: nil
      }
    return .object([
      OutputField("action", .string(word)), OutputField("uri", .string(uri(in: account))),
      OutputField("record", record.map(OutputValue.init) ?? .null),
    ])
  }
}

extension ViewerCall {
  private var method: String {
    switch self {
    case .mute: "app.bsky.graph.muteActor"
    case .unmute: "app.bsky.graph.unmuteActor"
    case .muteList: "app.bsky.graph.muteActorList"
    case .unmuteList: "app.bsky.graph.unmuteActorList"
    }
  }

  private var subject: String {
    switch self {
    case .mute(let account, _), .unmute(let account): account.description
    case .muteList(let list), .unmuteList(let list): list.description
    }
  }

  private var scope: MuteScope? {
    if case .mute(_, let scope) = self, scope != .everything { scope } else { nil }
  }

  fileprivate var summary: String {
    switch self {
    case .mute: "mute" + (scope.map { ", only \($0.rawValue)" } ?? "")
    case .unmute: "unmute"
    case .muteList: "mute the list"
    case .unmuteList: "unmute the list"
    }
  }

  fileprivate var output: OutputValue {
    .object([
      OutputField("action", .string(method)), OutputField("uri", .string(subject)),
      OutputField("record", scope.map { .object([OutputField("only", .string($0.rawValue))]) } ?? .null),
    ])
  }
}
