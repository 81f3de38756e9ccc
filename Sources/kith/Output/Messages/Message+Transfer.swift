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
    Message(preparing: .importPlanned(preview))
  }
}

extension Message {
  /// A dry run shows rows that are not imported along with the others.
  static func statementsAreApart(_ kinds: [PortableRelationship.Kind]) -> Message {
    Message(preparing: .statementsAreApart(kinds))
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
      let shown = all.prefix(PlannedQuestion.mostRows)
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
