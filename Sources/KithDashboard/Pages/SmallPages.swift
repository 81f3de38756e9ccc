// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages

/// What a browser gets with its cookie. It goes on by itself: a redirect that began at a file would carry no cookie, because the
/// file is another site.
enum EntrancePage {
  static let html: HTML = """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=/"><title>Kith</title>\
    <link rel="icon" href="\(Assets.iconAddress)"></head>
    <body><main><h1>Kith</h1><p><a href="/">Go on to the dashboard</a></p></main></body></html>

    """
}

/// What went wrong, and the way out.
struct FailurePage {
  private let failure: Failure
  private let visit: Visit

  init(_ error: any Error, _ visit: Visit) { (failure, self.visit) = (Failure(error), visit) }

  var response: LocalResponse {
    let account = (try? visit.account()) ?? visit.currentAccount
    let layout = PageLayout(title: Self.title, account: account, formToken: visit.formToken)
    // A form is sent again from its page.
    let again = visit.request.method == "POST" ? visit.formAddress ?? account?.address("jobs") ?? "/" : ""
    return .page(layout.html(Self.content(failure, again: again)), status: failure.status)
  }

  /// A page that knows no account.
  static func html(_ failure: Failure) -> HTML {
    PageLayout(title: title, account: nil).html(content(failure, again: ""))
  }

  private static let title = "This did not work"

  /// What is said of it.
  static func content(_ failure: Failure, again: String) -> HTML {
    """
    <section class="card"><p role="alert">\(failure.sentence)</p>\
    <p class="line">\(failure.signIn.map(signInAgain))<a class="b" href="\(again)">Try again</a><a class="b q" href="/">Overview</a></p></section>
    """
  }

  private static func signInAgain(_ account: ATIdentifier) -> HTML {
    "<a class=\"b p\" href=\"\(SignInPage.address)?account=\(QueryItems.encoded(account.description))\">Sign in again</a>"
  }
}

extension Visit {
  /// The page with the form of a POST; nil for one of many on a page about jobs.
  fileprivate var formAddress: String? {
    if request.path.hasPrefix(AccountsPage.address) { return AccountsPage.address }
    return request.path.hasSuffix("/\(EditProfilePage.name)") ? request.path : nil
  }
}
