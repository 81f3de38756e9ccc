// SPDX-License-Identifier: Apache-2.0

import KithInsights
import KithOperations
import KithRelationships
import KithWording

/// Help for a predicate while it is typed: what can come next, what it would cost, and what is wrong with it.
struct FilterHelp {
  /// What can be asked for, with what it means.
  private static let terms: [(text: String, meaning: String)] = [
    ("mutual", "Both follow each other"),
    ("following", "Followed by the owner of the list"),
    ("followed-by", "Follows the owner of the list"),
    ("blocking", "Blocked by the owner of the list"),
    ("blocked-by", "Blocks the owner of the list"),
    ("blocked", "A block in either direction"),
    ("muted", "Muted, directly or by a list"),
    ("friend", "Friends by consent"),
    ("none", "No follow and no block"),
    ("followers > 1000", "By the count of the profile; also < = and other counts"),
    ("follows > followers", "Two counts compared"),
    ("posts = 0", "Has not posted"),
    ("known-followers > 5", "Followed by accounts that you follow"),
    ("handle contains .edu", "A part of the handle"),
    ("name contains ada", "A part of the display name"),
    ("bio contains birds", "A part of the description"),
    ("verified", "Shown as verified"),
    ("avatar", "Has a picture"),
    ("label", "Has a label of a labeler"),
    ("followed within 90d", "When the follow was made; also since or before a date"),
    ("created within 90d", "When the account was made"),
    ("active before 2026-01-01", "When the account last changed anything; slow"),
    ("status is deactivated", "Also suspended and deleted; slow"),
  ]
  private static let joints: [(text: String, meaning: String)] = [
    ("and", "Both have to hold"), ("or", "One of both has to hold"), ("not", "The opposite"),
  ]
  private static let mostSuggestions = 6

  let text: String
  let request: ListingRequest

  /// What was typed since the last joint.
  private var part: Substring {
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    let end = words.lastIndex { ["and", "or", "not", "("].contains($0.lowercased()) }
    let rest = end.map { words.suffix(from: $0 + 1) } ?? words[...]
    return rest.joined(separator: " ").drop { $0 == "(" || $0 == " " }
  }

  /// Terms that begin with what was typed; after a whole term, the joints.
  var suggestions: [(text: String, meaning: String)] {
    let typed = part.lowercased()
    let fitting = Self.terms.filter { $0.text.hasPrefix(typed) && $0.text != typed }
    if !typed.isEmpty, fitting.isEmpty || text.hasSuffix(" ") { return Self.joints }
    return Array(fitting.prefix(Self.mostSuggestions))
  }

  /// What the field would hold if a suggestion were taken.
  private func completed(by suggestion: String) -> String {
    let isJoint = Self.joints.contains { $0.text == suggestion }
    let head = isJoint ? (text.hasSuffix(" ") ? text : text + " ") : String(text.dropLast(part.count))
    return head + suggestion + (isJoint ? " " : "")
  }

  /// The menu and a sentence about what is there.
  func html() async -> HTML {
    let options = suggestions.enumerated().map { place, term -> HTML in
      """
      <li role="option" id="suggestion-\(place)" aria-selected="false" data-value="\(completed(by: term.text))"><span>\
      \(Icon.filter.html)<span><b class="mono">\(term.text)</b><small>\(term.meaning)</small></span></span></li>
      """
    }
    let menu: HTML? =
      options.isEmpty
      ? nil
      : "<ul class=\"menu\" id=\"suggestions\" role=\"listbox\" aria-label=\"Suggestions\">\(options)</ul>"
    return "<div id=\"filter-suggestions\">\(menu)\(await verdict)</div>"
  }

  /// What is wrong with it, or about how many calls it takes.
  private var verdict: HTML? {
    get async {
      guard !text.allSatisfy({ $0 == " " }) else { return nil }
      do {
        let cost = try await request.operation().cost(in: request.account.workspace) { _ in }
        let calls =
          cost.calls.map { "About \(Counted.words($0, "call"))." } ?? "The number of calls is unknown."
        return "<p class=\"xs m\" role=\"status\">\(calls) Not applied yet.</p>"
      } catch let error as OperationError where error.code == .invalidPredicate {
        // A word that can still become a term is not wrong.
        return !part.isEmpty && suggestions.contains { $0.text.hasPrefix(part.lowercased()) }
          ? nil : "<p class=\"xs m\" role=\"status\">\(Failure(error).sentence)</p>"
      } catch {
        return nil
      }
    }
  }
}
