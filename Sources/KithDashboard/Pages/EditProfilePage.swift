// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithPosts
import KithRelationships
import KithWording
import KithWriting

/// The form of one's own profile. Only what was changed in it is written, so that what another app changed meanwhile stays.
struct EditProfilePage {
  static let name = "edit"

  /// How long failures are tolerated, since a person waits.
  private static let patience = Duration.seconds(30)

  private let account: AccountInUse
  private let visit: Visit

  init(_ visit: Visit) throws { (account, self.visit) = (try visit.account(), visit) }

  private var address: String { account.address(Self.name) }
  private var profileAddress: String { account.address("profile/\(account.did)") }

  // MARK: Answers

  func response() async throws -> LocalResponse {
    let run = try await read()
    let profile = run.rows.first
    var form = ProfileForm(showing: profile)
    if !run.outcome.isShown {
      form.note = Notice.html(
        .warn,
        "The AppView does not show this profile, so what it says now is not known. Only what you type is written."
      )
    }
    if let job = visit.items["saved"].flatMap({ JobID($0) }) { form.note = saved(job) }
    return page(form, profile)
  }

  /// Changes the profile to what the form brings.
  func change(_ jobs: JobsInServer) async throws -> LocalResponse {
    guard let sent = visit.form else { throw DashboardError.invalid("form", "the fields are missing") }
    var form = ProfileForm(sent: sent, visit.files)
    guard form.errors.isEmpty else {
      form.note = note(.bad, "Not saved. What is wrong stands beside the fields.", form)
      return await again(form, status: 400)
    }
    guard !form.changesNothing else {
      form.note = Notice.html(.plain, "Nothing was changed: the profile is as the form shows it.")
      return await again(form)
    }
    var change = Change(
      EditProfile(form.edit, avatar: form.pictures[.avatar], banner: form.pictures[.banner]))
    change.patienceForOne = Self.patience
    // It is said until when, instead of waiting for a budget.
    change.options.stopsWhenShort = true
    let run: GatheredRun<ChangeRow, ChangeRunOutcome>
    do { run = try await jobs.finish(change, in: account.workspace, most: 2) } catch {
      let failure = Failure(error)
      form.note = note(.bad, "Not saved. \(failure.sentence)", form, signIn: failure.signIn)
      return await again(form, status: failure.status)
    }
    if let row = run.rows.first, row.state == .done, let job = row.job {
      return .seeOther("\(address)?saved=\(job)")
    }
    form.note = note(of: run, form)
    return await again(form, status: run.outcome.ending == .done ? 200 : 409)
  }

  /// Reads the profile as the account's server shows it.
  private func read() async throws -> GatheredRun<ProfileRow, ShowProfile.Outcome> {
    try await GatheredRun(ShowProfile(.did(account.did), posts: 0), in: account.workspace, most: 1)
  }

  /// The form with what was typed. Without the profile, the pictures are not shown.
  private func again(_ form: ProfileForm, status: Int = 200) async -> LocalResponse {
    var response = page(form, try? await read().rows.first)
    response.status = status
    return response
  }

  // MARK: Notes

  private func saved(_ job: JobID) -> HTML {
    """
    <div class="note good" role="status">\(Icon.check.html)<div>The profile is saved. Others may see it a little later.</div>\
    <div class="acts"><a class="b sm" href="\(profileAddress)">See the profile</a>\
    <form method="post" action="\(account.address("jobs/\(job)/undo"))">\(visit.formField)\
    <button class="b sm" aria-label="Undo the change of the profile">\(Icon.undo.html)Undo</button></form></div></div>
    """
  }

  /// Why it was not done, or not yet.
  private func note(of run: GatheredRun<ChangeRow, ChangeRunOutcome>, _ form: ProfileForm) -> HTML {
    guard let row = run.rows.first else {
      return note(.bad, "Not saved. \(run.outcome.ending.sentence.asSentence)", form)
    }
    let stop: JobStop? = if case .stopped(let stop)? = run.outcome.end { stop } else { nil }
    let reason = (row.reason?.text ?? stop?.detail).map { " \($0.asSentence)" } ?? ""
    switch row.state {
    case .unchanged: return Notice.html(.plain, "Nothing was changed: the profile is so already.")
    case .pending, .inDoubt:
      let job = row.job.map { "job \($0)" } ?? "it"
      let time: HTML? = stop?.until.map { " after \(PageTime.html($0))" }
      return Notice.html(
        .warn, "The server has not confirmed it yet.\(reason)",
        " <a href=\"\(account.address("jobs"))\">Resume \(job)</a>\(time), instead of sending the form again."
      )
    default: return note(.bad, "Not saved.\(reason)", form)
    }
  }

  private func note(
    _ kind: Notice.Kind, _ sentence: String, _ form: ProfileForm, signIn: ATIdentifier? = nil
  ) -> HTML {
    let pictures: HTML? =
      form.pictures.isEmpty ? nil : " Browsers do not keep files: choose the pictures again."
    let button: HTML? = signIn.map {
      " <a href=\"\(SignInPage.address)?account=\(QueryItems.encoded($0.description))\">Sign in again</a>."
    }
    return Notice.html(kind, sentence, "\(pictures)\(button)")
  }

  // MARK: Form

  private func page(_ form: ProfileForm, _ profile: ProfileRow?) -> LocalResponse {
    visit.page(
      "Edit profile", of: account, in: .accounts, under: "\(guest: account.name). What you save is public.",
      """
      <div class="stack l">\(form.note)\
      <form class="stack l" method="post" action="\(address)" enctype="multipart/form-data">\(visit.formField)\
      <div class="cols"><section class="card stack" aria-labelledby="about"><h2 id="about">About you</h2>\
      \(ProfileEdit.Text.allCases.map { text(form, $0) })</section>\
      <section class="card stack" aria-labelledby="pictures"><h2 id="pictures">Pictures</h2>\
      \(picture(.avatar, form, now: avatar(profile)))\(picture(.banner, form, now: banner(profile)))\
      <p class="m xs">JPEG or PNG, at most 1 MB each. Kith removes what a file says besides its pixels, such as place, camera and \
      time. A picture cannot be removed here, only replaced.</p></section></div>\
      <div class="acts"><button class="b p">Save</button><a class="b" href="\(profileAddress)">Cancel</a></div></form></div>
      """)
  }

  private func text(_ form: ProfileForm, _ text: ProfileEdit.Text) -> HTML {
    let (value, former) = (form.texts[text] ?? "", form.former[text] ?? "")
    let field = FormField(
      name: text.rawValue, label: text.label, help: "\(text.help)", error: form.errors[text.rawValue])
    return """
      \(field.html { text.control($0, value) })\
      <input type="hidden" name="former-\(text.rawValue)" value="\(value: former)">
      """
  }

  private func picture(_ place: ProfileForm.Place, _ form: ProfileForm, now: HTML) -> HTML {
    let field = FormField(name: place.rawValue, label: place.label, error: form.errors[place.rawValue])
    let control = field.html {
      """
      <input class="inp file" type="file" \($0) accept="image/jpeg,image/png" \
      data-most-bytes="\(ProfileEdit.mostPictureBytes)" data-side="\(place.side)">
      """
    }
    return "<div class=\"stack t\"><div id=\"\(place.rawValue)-now\">\(now)</div>\(control)</div>"
  }

  private func avatar(_ profile: ProfileRow?) -> HTML {
    let name = profile?.view.displayName.flatMap { $0.isEmpty ? nil : $0 } ?? account.name
    return AccountPicture.html(profile?.avatar, of: name, account.did, " lg")
  }

  private func banner(_ profile: ProfileRow?) -> HTML {
    guard let banner = profile?.banner else {
      let words = profile == nil ? "Not known" : "No banner"
      return "<div class=\"bnr m xs\">\(words)</div>"
    }
    return """
      <img class="bnr" src="\(AccountPicture.address(of: banner))" alt="The present banner" loading="lazy" decoding="async" width="600" height="200">
      """
  }
}

/// What the form of a profile shows or brings.
struct ProfileForm {
  /// A picture of a profile.
  enum Place: String, CaseIterable {
    case avatar, banner

    var label: String { self == .avatar ? "New picture" : "New banner, behind the profile" }
    /// The pixels of the longer side to which a script makes large pictures smaller.
    var side: Int { self == .avatar ? 1_000 : 2_000 }
  }

  /// What stands in the fields.
  var texts: [ProfileEdit.Text: String] = [:]
  /// What stood in them when the form was made.
  var former: [ProfileEdit.Text: String] = [:]
  var pictures: [Place: Picture] = [:]
  /// What is wrong, by the names of the fields.
  var errors: [String: String] = [:]
  var note: HTML?

  init(showing profile: ProfileRow?) {
    texts = [
      .name: profile?.view.displayName, .bio: profile?.view.description, .website: profile?.website,
      .pronouns: profile?.pronouns,
    ].mapValues { Self.normal($0 ?? "") }
    former = texts
  }

  /// Reads and checks what was sent.
  init(sent: QueryItems, _ files: [String: [UInt8]]) {
    for text in ProfileEdit.Text.allCases {
      former[text] = Self.normal(sent["former-\(text.rawValue)"] ?? "")
      texts[text] = sent[text.rawValue].map(Self.normal) ?? former[text]
    }
    let edit = edit
    for text in ProfileEdit.Text.allCases {
      // The word for what people call characters.
      let fault = edit.fault(of: text)?.replacing("graphemes", with: "characters")
      if let fault { errors[text.rawValue] = "Not possible: \(fault)." }
    }
    for place in Place.allCases {
      guard let file = files[place.rawValue] else { continue }
      switch Self.picture(file) {
      case .success(let picture): pictures[place] = picture
      case .failure(let fault): errors[place.rawValue] = "This file cannot be used: \(fault.words)."
      }
    }
  }

  /// The texts that differ from what the form showed.
  var edit: ProfileEdit {
    var edit = ProfileEdit()
    for (text, value) in texts where value != former[text] { edit[text] = value }
    return edit
  }

  var changesNothing: Bool { edit == ProfileEdit() && pictures.isEmpty }

  /// Browsers send line breaks in two bytes.
  private static func normal(_ text: String) -> String { PlainText(text).text }

  private struct Unusable: Error { let words: String }

  private static func picture(_ file: [UInt8]) -> Result<Picture, Unusable> {
    let picture: Picture
    do throws(PictureError) { picture = try Picture(file) } catch {
      let hint =
        error.code == .turned ? "; open it in a program for pictures, and save a copy" : ""
      return .failure(Unusable(words: error.detail + hint))
    }
    if picture.kind == .webp { return .failure(Unusable(words: "it has to be a JPEG or a PNG")) }
    guard picture.bytes.count <= ProfileEdit.mostPictureBytes else {
      let size = Figure.words(picture.bytes.count)
      return .failure(
        Unusable(
          words: "it has \(size) bytes, at most \(Figure.words(ProfileEdit.mostPictureBytes)) are possible"))
    }
    return .success(picture)
  }
}

extension ProfileEdit.Text {
  fileprivate var label: String {
    switch self {
    case .name: "Name"
    case .bio: "Description"
    case .website: "Website"
    case .pronouns: "Pronouns"
    }
  }

  fileprivate var help: String {
    switch self {
    case .name: "At most 64 characters. Empty to show the handle."
    case .bio: "At most 256 characters."
    case .website: "Such as https://example.com"
    case .pronouns: "At most 20 characters."
    }
  }

  /// - Parameter attributes: its id, its name, and what describes it.
  fileprivate func control(_ attributes: HTML, _ value: String) -> HTML {
    switch self {
    // The line break after the tag does not belong to the text.
    case .bio:
      "<textarea class=\"area\" rows=\"5\" \(attributes) data-most=\"256\">\n\(value: value)</textarea>"
    case .website:
      "<input class=\"inp\" type=\"url\" \(attributes) value=\"\(value: value)\" autocomplete=\"url\" inputmode=\"url\">"
    case .name:
      "<input class=\"inp\" type=\"text\" \(attributes) value=\"\(value: value)\" autocomplete=\"name\" data-most=\"64\">"
    case .pronouns:
      "<input class=\"inp\" type=\"text\" \(attributes) value=\"\(value: value)\" autocomplete=\"off\" data-most=\"20\">"
    }
  }
}
