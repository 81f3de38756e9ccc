// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithRelationships
import KithWriting

/// Messages about exports and imports.
extension Message {
  /// - Parameter file: the output file; nil for standard output.
  static func exportSummary(_ rows: Int, to file: String?, _ cost: CallCost, elapsed: Duration) -> Message {
    Message(
      .summary, .exportSummary,
      "\(counted(rows, "row")) written\(file.map { " to \($0)" } ?? ""); \(counted(cost.calls, "call")), "
        + "\(DurationText.seconds(elapsed)) s",
      [
        "rows": .integer(rows), "file": .text(file), "calls": .integer(cost.calls),
        "milliseconds": .milliseconds(elapsed),
      ])
  }

  /// What an import is about to do, by kind.
  static func importPreview(_ preview: ImportPreview) -> Message {
    let parts = preview.counts.map { kind, counts in
      let others = [
        (counts.unchanged, "already present"),
        (counts.repeated, "duplicate\(counts.repeated == 1 ? "" : "s")"),
        (counts.refused, "refused"), (counts.inJobs, "in an unfinished job, see kith jobs"),
      ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      return "\(counts.planned) \(kind.words(counts.planned))"
        + (others.isEmpty ? "" : " (\(others.joined(separator: ", ")))")
    }
    return Message(
      level: .note, code: Code.importPreview.rawValue,
      text: "to create: " + (parts.isEmpty ? "nothing" : parts.joined(separator: ", ")),
      fields: preview.counts.map { kind, counts in
        OutputField(
          kind.rawValue,
          .object([
            OutputField("planned", .integer(counts.planned)),
            OutputField("unchanged", .integer(counts.unchanged)),
            OutputField("repeated", .integer(counts.repeated)),
            OutputField("refused", .integer(counts.refused)), OutputField("inJobs", .integer(counts.inJobs)),
          ]))
      })
  }
}

extension Message {
  /// A dry run shows rows that are not imported along with the others.
  static func statementsAreApart(_ kinds: [PortableRelationship.Kind]) -> Message {
    Message(
      .note, .statementsAreApart,
      "some rows speak for your account and have a question of their own; with --yes they need "
        + "--only \(kinds.map(\.rawValue).joined(separator: " "))",
      ["kinds": .array(kinds.map { .string($0.rawValue) })])
  }
}

extension ImportedStatements {
  /// The question about them, which says what they do.
  ///
  /// - Parameter views: the handles of the accounts that are known.
  func question(_ views: [DID: AccountView]) -> String {
    func names(_ requests: [Request], _ kind: FriendRequest.Kind) -> String? {
      let all = requests.filter { $0.kind == kind }.map { request in
        views[request.account]?.handle?.description ?? request.account.description
      }
      let shown = all.prefix(ChangeRelationships.mostRowsAsked)
      let more = all.count > shown.count ? " and \(all.count - shown.count) more" : ""
      return all.isEmpty ? nil : shown.joined(separator: ", ") + more
    }
    let texts = ProfileEdit.Text.allCases.compactMap { text in
      profile?[text].map { "your \(text.rawValue) to \"\($0)\"" }
    }
    let parts = [
      names(accepted, .friend).map { "accept requests to be friends of \($0)" },
      names(accepted, .follow).map { "allow \($0) to follow you" },
      names(asked, .friend).map { "ask to be friends: \($0)" },
      names(asked, .follow).map { "ask to follow: \($0)" },
      policy.map { "set your friend policy to \($0.words)" },
      texts.isEmpty ? nil : "change \(texts.joined(separator: ", "))",
    ].compactMap(\.self)
    return "The file speaks for your account, in public: \(parts.joined(separator: "; ")). Import that?"
  }
}

extension FriendPolicy {
  fileprivate var words: String {
    let approval = requiresApproval ? "followers need approval" : "followers need no approval"
    let lifetime = requestLifetime.map { ", your requests end after \(DurationText.span($0))" } ?? ""
    return "\"\(whoMayAsk.word)\" may ask, \(approval)\(lifetime)"
  }
}

extension SkippedRows {
  /// Which rows are skipped, and why.
  var words: String {
    let parts = [
      followers > 0
        ? "\(Message.counted(followers, "follower")), because others cannot be made to follow you (--as follow follows them)"
        : nil,
      lists > 0 ? "\(Message.counted(lists, "row")) about lists, because --as is about accounts" : nil,
      settings > 0
        ? "\(Message.counted(settings, "setting")) (see the file; set those of posts in your app, those of kith with kith "
          + "config)" : nil,
      oneself > 0 ? "\(Message.counted(oneself, "row")) about your own account" : nil,
      ended > 0 ? "\(Message.counted(ended, "row")) whose end has passed" : nil,
      statements > 0
        ? "\(Message.counted(statements, "row")) that speak\(statements == 1 ? "s" : "") for your account (import "
          + "\(statements == 1 ? "it" : "them") with --only \(statementKinds.joined(separator: " ")))" : nil,
      otherFollows > 0
        ? "\(Message.counted(otherFollows, "follow")) in \(otherGraphs.joined(separator: ", ")) (add "
          + "\(otherGraphs.map { "--graph \($0)" }.joined(separator: " ")))" : nil,
    ].compactMap(\.self)
    return "skipped: \(parts.joined(separator: "; "))"
  }
}

extension PortableRelationship.Kind {
  fileprivate func words(_ count: Int) -> String {
    let noun =
      switch self {
      case .follow: "follow"
      case .block: "block"
      case .mute: "mute"
      case .list: "list"
      case .member: "member"
      case .listBlock: "blocked list"
      case .listMute: "muted list"
      case .friendRequest: "request"
      case .friendAnswer: "accepted request"
      case .friendPolicy: "policy"
      case .profile: "profile"
      default: "record of \(rawValue)"
      }
    return count == 1 ? noun : noun + "s"
  }
}
