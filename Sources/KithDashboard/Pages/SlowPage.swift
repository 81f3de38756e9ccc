// SPDX-License-Identifier: Apache-2.0

import KithInsights
import KithLocalMessages

/// A page whose content takes a while: what is around it comes at once, with a sentence that says what is waited for.
///
/// The style sheet hides the sentence when something comes after it, so this needs no script.
struct SlowPage {
  let title: String
  /// What stands below the title.
  let subtitle: HTML
  let account: AccountInUse
  let section: Section
  /// What can be done about the whole page; nil for nothing.
  var actions: HTML?
  /// What is above the content, and is known without it.
  let tools: HTML
  /// What is waited for, in a sentence.
  let waiting: HTML

  /// Sends the beginning, and the content when it is there. Why there is none is said in its place.
  func response(
    _ visit: Visit, _ content: @escaping @Sendable () async throws -> HTML
  ) -> LocalResponse {
    let layout = PageLayout(
      title: title, subtitle: subtitle, account: account, section: section, formToken: visit.formToken,
      actions: actions)
    let beginning: HTML = """
      \(layout.beginning)\(tools)<p class="wait m s" role="status">\(waiting)</p>
      """
    return .streamed(contentType: "text/html; charset=utf-8") { write in
      try await write(beginning.bytes)
      var html: HTML
      do { html = try await content() } catch { html = FailurePage.content(Failure(error), again: "") }
      html += layout.end
      try await write(html.bytes)
    }
  }
}
