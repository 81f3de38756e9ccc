// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships
package import KithWriting

extension ChangeStep {
  /// The subject in rows; the AT-URI for a new list or record.
  package func subjectText(in account: DID) -> String {
    switch subject {
    case .listName, .newRecords, .profile: writes.first?.uri(in: account) ?? subject.description
    case .record(let record): record.description
    case .account, .list, .post: subject.description
    }
  }

  /// The writes or calls of the step in full, for programs.
  package func outputs(in account: DID) -> [OutputValue] {
    switch action {
    case .write(let writes): writes.map { $0.output(in: account) }
    case .call(let call, _): [call.output]
    case .decline(let decline):
      [
        .object([
          OutputField("action", .string(decline.isTakenBack ? "takeBackDecline" : "decline")),
          OutputField("uri", .string(decline.request.uri.description)),
          OutputField("record", .object([OutputField("cid", .string(decline.request.cid.description))])),
        ])
      ]
    case .end(let change):
      [
        .object([
          OutputField("action", .string("setEnd")), OutputField("uri", .string(subjectText(in: account))),
          OutputField(
            "record",
            .object([
              OutputField("job", .integer(Int(change.job.number))),
              OutputField("until", change.until.map { .string($0.description) } ?? .null),
              OutputField("former", change.former.map { .string($0.description) } ?? .null),
            ])),
        ])
      ]
    }
  }
}

extension RecordWrite {
  /// The AT-URI of the record.
  package func uri(in account: DID) -> String { "at://\(account)/\(collection)/\(rkey)" }

  package var word: String {
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

  /// What is muted, unless it is everything.
  package var scope: MuteScope? {
    if case .mute(_, let scope) = self, scope != .everything { scope } else { nil }
  }

  fileprivate var output: OutputValue {
    .object([
      OutputField("action", .string(method)), OutputField("uri", .string(target.description)),
      OutputField("record", scope.map { .object([OutputField("only", .string($0.rawValue))]) } ?? .null),
    ])
  }
}
