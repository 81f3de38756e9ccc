// SPDX-License-Identifier: Apache-2.0

package import KithOperations
import KithPosts

extension PostComposition {
  /// Who may answer, in words.
  package var audience: String {
    if answered != nil { return "as the thread says" }
    guard let rules = drafts.first?.audience.replies else { return "everyone" }
    if rules.isEmpty { return "no one" }
    let words = rules.map { rule in
      switch rule {
      case .followers: "your followers"
      case .following: "accounts you follow"
      case .mentioned: "accounts it mentions"
      default: rule.list == nil ? "some accounts" : "the members of a list"
      }
    }
    return words.joined(separator: ", ")
  }
}
