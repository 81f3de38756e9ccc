// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships
import KithWriting

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
    let lifetime = requestLifetime.map { ", your requests end after \(TimeWords.span($0))" } ?? ""
    return "\"\(whoMayAsk.word)\" may ask, \(approval)\(lifetime)"
  }
}
