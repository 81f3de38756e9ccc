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

  /// Members of lists that are not exported.
  static func membersLeftOut(_ count: Int) -> Message {
    Message(
      .warning, .membersLeftOut,
      "skipped \(counted(count, "member")) of lists that are gone or cannot be read",
      ["count": .integer(count)])
  }

  static func importNeedsKind(_ rows: Int) -> Message {
    Message(
      .error, .importNeedsKind,
      "\(counted(rows, "row")) name\(rows == 1 ? "s" : "") an account but no kind of relationship; "
        + "add --as follow, --as block or --as mute",
      ["rows": .integer(rows)])
  }

  /// A member of a list that no row describes and that the account does not own.
  static func unknownListInFile(_ list: ATURI) -> Message {
    Message(
      .error, .unknownListInFile,
      "no row describes the list \(list): export the list together with its members, or use kith lists import with "
        + "one of your lists",
      ["list": .text(list)])
  }

  /// - Parameter oneself: rows that name the importing account itself.
  static func importSkipped(followers: Int, lists: Int, oneself: Int) -> Message {
    let parts = [
      followers > 0
        ? "\(counted(followers, "follower")), because others cannot be made to follow you (--as follow follows them)"
        : nil,
      lists > 0 ? "\(counted(lists, "row")) about lists, because --as is about accounts" : nil,
      oneself > 0 ? "\(counted(oneself, "row")) about your own account" : nil,
    ].compactMap(\.self)
    return Message(
      .note, .importSkipped, "skipped: \(parts.joined(separator: "; "))",
      [
        "followers": .integer(followers), "lists": .integer(lists), "oneself": .integer(oneself),
      ])
  }
}

/// The planned outcome of an import.
struct ImportPreview: Sendable {
  /// The number of rows of a kind by outcome.
  struct Counts: Sendable, Equatable {
    var planned = 0
    var unchanged = 0
    /// Duplicates in the same files.
    var repeated = 0
    var refused = 0
    /// Rows that an unfinished job is to create already.
    var inJobs = 0
  }

  private var byKind: [PortableRelationship.Kind: Counts]

  /// The kinds that occur, in declaration order.
  var counts: [(kind: PortableRelationship.Kind, counts: Counts)] {
    PortableRelationship.Kind.allCases.compactMap { kind in byKind[kind].map { (kind, $0) } }
  }

  init(_ byKind: [PortableRelationship.Kind: Counts]) { self.byKind = byKind }

  init(_ plan: ChangePlan) {
    byKind = [:]
    for planned in plan.changes {
      guard let kind = planned.change.portableKind else { continue }
      switch planned.outcome {
      case .steps: byKind[kind, default: Counts()].planned += 1
      case .holds where planned.notes.contains { $0.code == .namedTwice }:
        byKind[kind, default: Counts()].repeated += 1
      case .holds: byKind[kind, default: Counts()].unchanged += 1
      case .refused(let refusal) where refusal.code == .awaited || refusal.code == .unsettled:
        byKind[kind, default: Counts()].inJobs += 1
      case .refused: byKind[kind, default: Counts()].refused += 1
      }
    }
  }
}

extension ChangeIntent {
  fileprivate var portableKind: PortableRelationship.Kind? {
    switch self {
    case .follow: .follow
    case .block: .block
    case .mute: .mute
    case .list(.create): .list
    case .list(.add): .member
    case .blockList: .listBlock
    case .muteList: .listMute
    default: nil
    }
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
      default: "record of \(rawValue)"
      }
    return count == 1 ? noun : noun + "s"
  }
}
