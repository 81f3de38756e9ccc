// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import KithOperations
import KithRelationships
import Testing

@testable import kith

/// The fields of rows stand in `fieldNames`; help pages and docs list them, and scripts rely on that.
@Suite struct RowFieldsTests {
  /// The fields of every kind of row that commands print.
  private static let rows: [[String]] =
    [
      RelationshipRow.fieldNames, AppViewDifferenceRow.fieldNames, IdentityRow.fieldNames,
      AccountViewRow.fieldNames, PersonRow.fieldNames, ProfileRow.fieldNames, ContactRow.fieldNames,
      ChangeRow.fieldNames, JobRow.fieldNames, TimedChangeRow.fieldNames, ListRow.fieldNames,
      MemberRow.fieldNames, StarterPackRow.fieldNames, ReportRow.fieldNames, ExportRow.fieldNames,
      FriendRow.fieldNames, FriendRequestRow.fieldNames, FriendPolicyRow.fieldNames, GraphRow.fieldNames,
      GraphDifferenceRow.fieldNames, SnapshotRow.fieldNames, HistoryRow.fieldNames, LiveRow.fieldNames,
      ListingCountRow.fieldNames, WatchRow.fieldNames,
      FigureRow.fieldNames, GoalRow.fieldNames, SegmentRow.fieldNames, PostRow.fieldNames,
      NotificationRow.fieldNames, NotificationSettingRow.fieldNames, SubscriptionRow.fieldNames,
      AuditRow.fieldNames, AccountRow.fieldNames, PlanRow.fieldNames, FileRow.fieldNames,
      SettingRow.fieldNames,
    ]

  // MARK: Help

  @Test func helpPagesListTheFieldsOfTheirRowsInOrder() {
    var lists = 0
    for command in Self.commands(of: Kith.self) {
      for list in Self.fields(inHelp: command.configuration.discussion) {
        lists += 1
        #expect(Self.rows.contains(list), "\(command.configuration.commandName ?? "\(command)"): \(list)")
      }
    }
    #expect(lists > 50)
  }

  private static func commands(of command: any ParsableCommand.Type) -> [any ParsableCommand.Type] {
    [command] + command.configuration.subcommands.flatMap(commands)
  }

  /// The lists of fields in a help text: what follows "Fields" and a colon, up to the end of the sentence.
  private static func fields(inHelp text: String) -> [[String]] {
    let text = withoutParentheses(text.split(whereSeparator: \.isNewline).joined(separator: " "))
    return text.split(separator: "Fields").dropFirst().compactMap { part in
      guard let colon = part.firstIndex(of: ":"), part[..<colon].count < 20 else { return nil }
      let sentence = part[part.index(after: colon)...].prefix { $0 != ";" }
      return names(in: sentence.split(separator: ". ")[0])
    }
  }

  /// `a, b and c.` as a list; nil for another sentence.
  private static func names(in sentence: Substring) -> [String]? {
    let words = sentence.replacing(" and ", with: ", ").split(separator: ",").map { word in
      word.trimmingCharacters(in: CharacterSet(charactersIn: " ."))
    }
    return words.count > 1 ? words : nil
  }

  private static func withoutParentheses(_ text: String) -> String {
    var (depth, kept) = (0, "")
    for character in text {
      if character == "(" { depth += 1 }
      if depth == 0 { kept.append(character) }
      if character == ")" { depth = max(0, depth - 1) }
    }
    return kept.replacing(" ,", with: ",").replacing(" .", with: ".")
  }

  @Test func helpOfACheckListsItsFieldsInOrder() throws {
    let help = Self.withoutParentheses(CheckCommand.configuration.discussion.replacing("\n", with: " "))
    let list = try #require(help.split(separator: "in the given order:").dropFirst().first)
    #expect(Self.names(in: list.split(separator: ". ")[0]) == RelationshipRow.fieldNames)
  }

  // MARK: Documents

  /// The repository.
  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: [
    ("COMMANDS", "The rows of `kith check` always have these fields", RelationshipRow.fieldNames),
    ("COMMANDS", "Rows of a change have the fields", ChangeRow.fieldNames),
    ("COMMANDS", "Each row of an estimate has these fields", PlanRow.fieldNames),
    ("DOCTOR", "Fields of each row", AuditRow.fieldNames),
    ("EXPORT", "Each row has the fields", ExportRow.fieldNames),
    ("HISTORY", "Fields of each row: `actor`, `handle`", SnapshotRow.fieldNames),
    ("HISTORY", "Fields of each row: `actor`, `side`", HistoryRow.fieldNames),
    ("LISTINGS", "Fields of each row", AccountViewRow.fieldNames),
    ("ANALYTICS", "All metrics have the same fields", FigureRow.fieldNames),
    ("FEEDS", "## Fields", PostRow.fieldNames),
  ])
  func documentsListTheFieldsOfRowsInOrder(page: String, beginning: String, fields: [String]) throws {
    let text = try String(contentsOf: Self.root.appending(path: "docs/\(page).md"), encoding: .utf8)
    let parts = text.split(separator: beginning)
    #expect(parts.count == 2, "\(page): \(beginning)")
    let rest = try #require(parts.dropFirst().first)
    let named =
      (beginning.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }.map { "\($0.element)" })
      .filter { fields.contains($0) }
    let listed = named + Self.fields(inMarkdown: rest)
    #expect(listed == fields, "\(page): \(beginning)")
  }

  /// The words in code font of the next sentence, or in the first column of the next table.
  private static func fields(inMarkdown text: Substring) -> [String] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let paragraph = lines.drop(while: \.isEmpty).prefix { !$0.isEmpty }.joined(separator: " ")
    let table = lines.drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") }.dropFirst(2)
    let isTable = paragraph.hasSuffix(":") || paragraph.hasPrefix("|")
    let columns = table.compactMap { $0.split(separator: "|").first.map { "\($0)" } }
    let source =
      isTable ? columns.joined(separator: " ") : "\(withoutParentheses(paragraph).split(separator: ". ")[0])"
    return source.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { $0.offset % 2 == 1 }.map { "\($0.element)" }
  }

  // MARK: Words

  @Test func helpNamesEachKindOfAnExportAndEachStateOfAChange() throws {
    let export = ExportCommand.configuration.discussion
    let document = try String(contentsOf: Self.root.appending(path: "docs/EXPORT.md"), encoding: .utf8)
    #expect(ExportRow.kinds.count == 14 && Set(ExportRow.kinds).count == 14)
    for kind in ExportRow.kinds {
      #expect(export.contains(kind) && document.contains("`\(kind)`"), "\(kind)")
    }
    let commands = try String(contentsOf: Self.root.appending(path: "docs/COMMANDS.md"), encoding: .utf8)
    for state in ChangeRow.State.allCases {
      #expect(ChangeRow.help.contains(state.rawValue) && commands.contains("`\(state.rawValue)`"), "\(state)")
    }
  }

  @Test func helpAndTheDocumentExplainEachWordOfPredicates() throws {
    let help = HelpTopic.predicates.text(columns: nil)
    let document = try String(contentsOf: Self.root.appending(path: "docs/LISTINGS.md"), encoding: .utf8)
    for word in AccountPredicate.vocabulary {
      let isWord = try Regex("(^|[^a-z-])\(word)([^a-z-]|$)")
      #expect(help.contains(isWord), "kith help predicates: \(word)")
      #expect(document.contains(isWord), "LISTINGS.md: \(word)")
    }
  }
}
