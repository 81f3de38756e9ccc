// SPDX-License-Identifier: Apache-2.0

import KithInsights
import KithLocalMessages
import KithOperations
import KithWording

/// Asks before something is done that a person should know about.
struct QuestionPage {
  let response: LocalResponse

  init(_ question: Question, _ visit: Visit) throws {
    let account = try visit.account()
    response = visit.page(
      "Confirm", of: account, in: .jobs,
      """
      <section class="card"><p>\(Wording.neutral.sentence(question))</p><div class="line">\
      <form method="post" action="\(visit.request.path)">\(visit.formField)<input type="hidden" name="confirmed" value="yes">\
      <button class="b danger">Go on</button></form><a class="b" href="\(account.address("jobs"))">Leave it as it is</a></div></section>
      """)
  }
}
