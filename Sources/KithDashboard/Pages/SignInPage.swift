// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships

/// Signs an account in. The password goes to the account's own server, and stays in no page, address or file.
struct SignInPage {
  static let address = "/accounts/sign-in"
  /// Longer names are none: an address of a profile is the longest that people paste.
  private static let mostNameBytes = 4_096
  private static let mostCodeBytes = 256

  private let visit: Visit

  init(_ visit: Visit) { self.visit = visit }

  /// The form; the account may be named in the address.
  func response() -> LocalResponse {
    page(SignInForm(account: String((visit.items["account"] ?? "").prefix(Self.mostNameBytes))))
  }

  private func page(_ form: SignInForm, status: Int = 200) -> LocalResponse {
    var response = visit.page(
      form.contradiction == nil ? "Sign in" : "Sign in elsewhere?", of: visit.currentAccount, in: .accounts,
      "<section class=\"card mw2\">\(form.html(visit, isAlone: true))</section>")
    response.status = status
    return response
  }

  /// Signs in with what the form brings, and goes on to the overview of the account.
  func signIn() async throws -> LocalResponse {
    let sent = visit.form
    let (name, code) = (sent?["account"] ?? "", sent?["code"] ?? "")
    var form = SignInForm(account: name.utf8.count <= Self.mostNameBytes ? name : "")
    form.asksForCode = sent?["code"] != nil
    let account: ATIdentifier
    do throws(InputError) { account = try ActorInput(parsing: form.account).identifier } catch {
      form.problem = SignInForm.Problem(.account, "This is not a handle or a DID: \(error.reason).")
      return page(form, status: 400)
    }
    guard let password = Password(sent?["password"] ?? "") else {
      form.problem = SignInForm.Problem(.password, "The password is empty or far too long. Nothing was sent.")
      return page(form, status: 400)
    }
    guard code.utf8.count <= Self.mostCodeBytes else {
      form.problem = SignInForm.Problem(.code, "The code is far too long. Nothing was sent.")
      return page(form, status: 400)
    }
    var operation = SignInAccount(account) { _ in password }
    operation.authFactor = { _ in code.allSatisfy(\.isWhitespace) ? nil : code }
    do { return try await run(operation, agreedTo: sent?["agreed"], form) } catch let error as SessionError
      where error.code == .secondFactorRequired
    {
      form.asksForCode = true
      let words = (error.underlying as? XRPCError)?.message
      form.problem = SignInForm.Problem(
        .code, "The server asks for a sign-in code as well.", words.map { "It says: \($0)" }, isFault: false)
      return page(form)
    } catch {
      form.problem = SignInForm.Problem(error)
      return page(form, status: Failure(error).status)
    }
  }

  private func run(
    _ operation: SignInAccount, agreedTo agreed: String?, _ form: SignInForm
  ) async throws -> LocalResponse {
    let asked = PosixMutex<SignInContradiction?>(nil)
    let reporter = Reporter<Never>(
      rows: { _ in },
      ask: { question in
        guard case .signInElsewhere(let contradiction) = question else { return false }
        // A yes counts for what was shown.
        if agreed == SignInForm.place(contradiction.target) { return true }
        asked.withLock { $0 = contradiction }
        return false
      })
    switch try await visit.workspace.acting(as: nil).run(operation, reporter).outcome {
    case .signedIn(let session):
      return .seeOther("/@\(session.handle.isInvalid ? session.did.description : session.handle.description)")
    case .declined:
      var form = form
      form.contradiction = asked.withLock(\.self)
      return page(form)
    }
  }
}

/// The form to sign in. What was typed is kept, the password excepted.
struct SignInForm {
  enum Field: String { case account, password, code }

  /// Why the form is shown again.
  struct Problem {
    /// What has to be changed; nil for nothing in the form.
    let field: Field?
    let sentence: String
    /// What happened, more exactly.
    let detail: String?
    /// Whether something went wrong, and not only something is missing.
    let isFault: Bool

    init(_ field: Field?, _ sentence: String, _ detail: String? = nil, isFault: Bool = true) {
      (self.field, self.sentence, self.detail, self.isFault) = (field, sentence, detail, isFault)
    }

    init(_ error: any Error) {
      let coded = error as? any CodedError
      let code = (error as? SessionError)?.code
      let field: Field? = code == .refused ? .password : code == .unverifiedHandle ? .account : nil
      let sentence = coded?.errorDescription ?? Failure(error).sentence
      let detail = Failure(error).sentence
      self.init(error is IdentityError ? .account : field, sentence, detail == sentence ? nil : detail)
    }
  }

  var account: String
  var asksForCode = false
  var problem: Problem?
  /// What has to be agreed to: the name leads elsewhere than before.
  var contradiction: SignInContradiction?

  init(account: String = "") { self.account = account }

  /// An account and its server, as they are agreed to.
  static func place(_ target: SignInTarget) -> String { "\(target.did?.description ?? "") \(target.pds)" }

  /// - Parameter isAlone: whether nothing else is on the page, so that it takes the focus.
  func html(_ visit: Visit, isAlone: Bool) -> HTML {
    """
    <form class="stack" method="post" action="\(SignInPage.address)">\(visit.formField)\(notes)\(accountField(isAlone))\
    \(passwordField(isAlone))\(asksForCode ? codeField : nil)<div class="acts">\(button)\
    \(isAlone && !visit.accounts.isEmpty ? way : nil)</div></form>
    """
  }

  /// What is wrong, or missing first.
  private var isAccountNext: Bool { account.isEmpty || problem?.field == .account }
  private static let focus: HTML = " autofocus"

  private func accountField(_ isAlone: Bool) -> HTML {
    let fixed: HTML = contradiction == nil ? "" : " readonly"
    return field(.account, "Handle or DID", "Such as alice.bsky.social") {
      """
      <input class="inp" type="text" \($0) value="\(value: account)" autocomplete="username" autocapitalize="none" autocorrect="off" \
      spellcheck="false" maxlength="4096" required\(fixed)\(isAlone && isAccountNext ? Self.focus : nil)>
      """
    }
  }

  private func passwordField(_ isAlone: Bool) -> HTML {
    field(.password, "App password", Self.passwordHelp) {
      """
      <input class="inp" type="password" \($0) autocomplete="current-password" required\(isAlone && !isAccountNext ? Self.focus : nil)>
      """
    }
  }

  private static let passwordHelp: HTML = """
    It goes to your own server only, and is not kept. An app password is enough and can be revoked by itself: create one in the \
    settings of your app.
    """

  private var codeField: HTML {
    field(
      .code, "Sign-in code", "Your server has sent it, or your app for codes shows it. Spaces do not matter."
    ) {
      "<input class=\"inp\" type=\"text\" \($0) autocomplete=\"one-time-code\" autocapitalize=\"none\" spellcheck=\"false\" maxlength=\"256\">"
    }
  }

  private func field(_ field: Field, _ label: String, _ help: HTML, _ control: (HTML) -> HTML) -> HTML {
    let error = problem.flatMap { $0.isFault && $0.field == field ? $0.sentence : nil }
    return FormField(name: field.rawValue, label: label, help: help, error: error).html(control)
  }

  private var notes: HTML? {
    if let contradiction { return Self.question(contradiction) }
    guard let problem else { return nil }
    let detail = problem.detail.map { "<div class=\"m xs\">\($0)</div>" as HTML }
    guard problem.isFault else { return Notice.html(.plain, problem.sentence, detail) }
    // What concerns a field stands beside it.
    return Notice.html(
      .bad, problem.field == nil ? "Not signed in. \(problem.sentence)" : "Not signed in.", detail)
  }

  private static func question(_ contradiction: SignInContradiction) -> HTML {
    let (target, before) = (contradiction.target, contradiction.before)
    return """
      \(Notice.html(.warn, "\(target.account) leads elsewhere than when it last signed in. Nothing was sent."))\
      <dl class="kv"><dt>Last time</dt><dd>\(before.did.description) at \(before.pds.description)</dd>\
      <dt>Now</dt><dd>\(target.did?.description ?? "an account that only the server knows") at \(target.pds.description)</dd></dl>\
      <p>The account may have moved to another server, or the handle may belong to someone else now. If you did not move it, do \
      not type your password.</p><input type="hidden" name="agreed" value="\(value: place(target))">
      """
  }

  private var button: HTML {
    guard let contradiction else { return "<button class=\"b p\">Sign in</button>" }
    return "<button class=\"b d\">Sign in at \(contradiction.target.pds.authority) anyway</button>"
  }

  private var way: HTML {
    "<a class=\"b\" href=\"\(AccountsPage.address)\">\(contradiction == nil ? "Cancel" : "Do not sign in")</a>"
  }
}
