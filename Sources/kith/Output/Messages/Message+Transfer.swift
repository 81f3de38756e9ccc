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
