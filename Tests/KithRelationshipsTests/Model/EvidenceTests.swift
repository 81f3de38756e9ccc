// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import KithRelationships

/// What answers of servers prove: the table in docs/PROTOCOL.md is the specification.
@Suite struct EvidenceTests {
  private static let questions: [String: Evidence.Question] = [
    "getProfile": .profile, "getProfiles": .profiles, "getRelationships": .relationship, "listing": .listing,
    "PDS status": .server, "PDS records": .records, "PLC": .directory, "index": .index,
  ]

  private struct Row {
    let finding: Evidence.Finding
    /// What it proves if the AppView shows the account, and if it does not.
    let whenShown: Set<Evidence.Claim>
    let otherwise: Set<Evidence.Claim>
  }

  private func table() throws -> [Row] {
    var folder = URL(filePath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let page = try String(contentsOf: folder.appending(path: "docs/PROTOCOL.md"), encoding: .utf8)
    let lines = page.split(separator: "\n").drop { !$0.hasPrefix("| source | answer |") }
    let columns = try cells(#require(lines.first)).dropFirst(2).map {
      try #require(Evidence.Claim(rawValue: $0))
    }
    #expect(columns == Evidence.Claim.allCases)
    return try lines.dropFirst(2).prefix { $0.hasPrefix("|") }.flatMap { line in
      let cells = cells(line)
      let question = try #require(Self.questions[cells[0]], "\(line)")
      let proved = zip(columns, cells.dropFirst(2))
      #expect(Set(cells.dropFirst(2)).isSubset(of: ["", "yes", "if shown"]), "\(line)")
      return try cells[1].split(separator: ",").map { name in
        let name = name.trimmingCharacters(in: CharacterSet(charactersIn: " `"))
        return Row(
          finding: .init(question, try #require(Evidence.Answer(rawValue: name))),
          whenShown: Set(proved.filter { !$0.1.isEmpty }.map(\.0)),
          otherwise: Set(proved.filter { $0.1 == "yes" }.map(\.0)))
      }
    }
  }

  private func cells(_ line: Substring) -> [String] {
    line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
      .map { $0.trimmingCharacters(in: .whitespaces) }
  }

  @Test func provesWhatTheTableOfThePageSays() throws {
    let rows = try table()
    #expect(Set(rows.map(\.finding.question)) == Set(Evidence.Question.allCases))
    for question in Evidence.Question.allCases {
      for answer in Evidence.Answer.allCases {
        let finding = Evidence.Finding(question, answer)
        let row = rows.first { $0.finding == finding }
        #expect(finding.claims(isShown: true) == row?.whenShown ?? [], "\(finding)")
        #expect(finding.claims(isShown: false) == row?.otherwise ?? [], "\(finding)")
      }
    }
  }

  @Test(
    arguments: [
      ("r:no-follow", nil), ("r:no-follow p:not-found", nil), ("r:no-follow p:active", false),
      ("r:no-follow P:invalid-handle", false), ("r:no-follow p:not-found d:registered s:active", nil),
      ("r:no-follow p:deactivated", nil), ("r:follows", true), ("r:follows p:not-found", true),
    ] as [(String, Bool?)]) func takesAMissingFollowForNoneOnlyIfTheAccountIsShown(
      answers: String, follows: Bool?
    ) throws
  {
    let claims = try #require(Evidence(answers)).claims
    #expect(claims.contains(.follows) == (follows == true))
    #expect(claims.contains(.doesNotFollow) == (follows == false))
  }

  @Test(
    arguments: [
      ("p:not-found", nil), ("P:not-found p:failed", nil), ("p:not-found d:failed", nil),
      ("p:not-found d:registered", .hidden), ("p:not-found d:registered s:active", .hidden),
      ("p:not-found d:registered s:failed", .hidden), ("p:not-found d:registered s:deleted", .absent),
      ("p:not-found d:deleted", .absent), ("p:taken-down", .hidden), ("p:deactivated", .hidden),
      ("P:active", .shown), ("r:follows", nil),
    ] as [(String, AccountPresence?)]) func tellsWhetherAnAccountExists(
      answers: String, presence: AccountPresence?
    ) throws
  {
    #expect(try #require(Evidence(answers)).presence == presence)
  }
}
