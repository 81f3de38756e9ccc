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
    // What was asked for is asked for again, with the answer.
    let fields = (visit.form?.items ?? []).filter { !["token", "confirmed", "styles"].contains($0.name) }.map
    {
      "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" as HTML
    }
    response = visit.page(
      "Confirm", of: account, in: .jobs, titled: false,
      """
      <h1 class="vh">Confirm</h1><section class="card ask" id="ask" aria-labelledby="ask-title"><h2 id="ask-title">Confirm</h2><p>\(guest: Wording.neutral.sentence(question))</p>\
      <form method="post" action="\(visit.request.path)">\(visit.formField)\(fields)<input type="hidden" name="confirmed" value="yes">\
      <div class="acts"><a class="b" href="\(visit.back(orTo: account.address("jobs")))" data-close>Leave it as it is</a>\
      <button class="b d">Go on</button></div></form></section>
      """)
  }
}
