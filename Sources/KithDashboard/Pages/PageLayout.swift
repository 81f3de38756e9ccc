// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages

/// The pages that the navigation leads to.
enum Section: String, CaseIterable {
  case overview = ""
  case followers, following, mutuals
  case notFollowingBack = "not-following-back"
  case notFollowedBack = "not-followed-back"
  case requests
  case blocked, muted, discover, jobs, analytics
  case profile
  case accounts

  var title: String {
    switch self {
    case .overview: "Overview"
    case .followers: "Followers"
    case .following: "Following"
    case .mutuals: "Mutuals"
    case .notFollowingBack: "Not following back"
    case .notFollowedBack: "Not followed back"
    case .requests: "Requests"
    case .blocked: "Blocked"
    case .muted: "Muted"
    case .discover: "Discover"
    case .jobs: "Jobs"
    case .profile: "Profile"
    case .analytics: "Analytics"
    case .accounts: "Accounts"
    }
  }

  var icon: Icon {
    switch self {
    case .overview: .home
    case .followers: .people
    case .following: .out
    case .mutuals: .swap
    case .notFollowingBack: .question
    case .notFollowedBack: .incoming
    case .requests: .inbox
    case .blocked: .block
    case .muted: .mute
    case .discover: .compass
    case .jobs: .jobs
    case .analytics: .chart
    case .profile: .at
    case .accounts: .key
    }
  }

  /// The entries of the navigation, in groups with their headings.
  static let groups: [(heading: String?, entries: [Section])] = [
    (nil, [.overview]), ("People", [.followers, .following, .requests, .blocked, .discover]),
    ("Account", [.jobs, .analytics, .profile, .accounts]),
  ]

  /// On a phone, the others are under "More".
  static let tabs: [Section] = [.overview, .followers, .requests, .discover]

  /// The entry of the navigation that leads to it.
  fileprivate var entry: Section {
    switch self {
    case .mutuals, .notFollowedBack: .followers
    case .notFollowingBack: .following
    case .muted: .blocked
    default: self
    }
  }

  fileprivate var entryTitle: String { self == .blocked ? "Blocked and muted" : title }
}

/// What is around the content of each page.
struct PageLayout {
  let title: String
  /// What stands below the title; nil for nothing.
  var subtitle: HTML?
  /// The account that the page is about; nil if none is signed in.
  let account: AccountInUse?
  var section: Section?
  /// What forms of the page bring; nil for a page without a session.
  var formToken: String?
  /// Whether its title stands above the content; a page may have it elsewhere.
  var isTitled = true
  /// Whether it has a wide table.
  var isWide = false
  /// What can be done about the whole page; nil for nothing.
  var actions: HTML?

  private static let wide: HTML = " class=\"wide\""
  private static let sprite = HTML(markup: String(decoding: PackageResources.icons_svg, as: UTF8.self))

  func html(_ content: HTML) -> HTML { "\(beginning)\(content)\(end)" }

  /// What is before the content.
  var beginning: HTML {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">\
    <meta name="color-scheme" content="light dark"><title>\(title) · Kith</title>\(tokenField)\
    <link rel="icon" href="\(Assets.iconAddress)"><link rel="stylesheet" href="\(Assets.styleAddress)">\
    <script src="\(Assets.scriptAddress)" defer></script></head>
    <body>\(Self.sprite)<a class="skip" href="#main">Skip to content</a>
    <div class="app">\(navigation)
    <main id="main" tabindex="-1"\(isWide ? Self.wide : nil)\(account.map { " data-me=\"\($0.did.description)\"" })>\(isTitled ? heading : nil)

    """
  }

  let end: HTML = "</main></div></body></html>\n"

  private var heading: HTML {
    """
    <header class="head"><div><h1>\(guest: title)</h1>\(subtitle.map { "<p class=\"sub\">\($0)</p>" })</div>\
    \(actions.map { "<div class=\"acts\">\($0)</div>" })</header>
    """
  }

  private var tokenField: HTML? { formToken.map { "<meta name=\"kith-token\" content=\"\($0)\">" } }

  // MARK: Navigation

  private var navigation: HTML {
    let home = account?.address() ?? "/"
    return """
      <aside class="side" aria-label="Navigation">\(brand(home, ""))\(who)\(jump)
      <nav aria-label="Main"><ul class="nav">\(Section.groups.map(group))</ul></nav></aside>
      <header class="bar">\(brand(home, " grow"))</header>
      <nav class="tabs" aria-label="Main"><ul>\(Section.tabs.map(link))<li><details><summary>\(Icon.more.html)<span>More</span></summary>\
      <div class="sheet"><ul class="nav">\(Section.groups.flatMap(\.entries).filter { !Section.tabs.contains($0) }.map(link))</ul></div></details></li></ul></nav>
      """
  }

  private func brand(_ home: String, _ classes: String) -> HTML {
    """
    <a class="brand\(classes)" href="\(home)" aria-label="Kith, overview"><svg viewBox="0 0 24 24" aria-hidden="true" fill="none" \
    stroke-width="2.4"><circle cx="9" cy="12" r="5.6" class="l0"/><circle cx="15" cy="12" r="5.6" class="l1"/></svg><span>Kith</span></a>
    """
  }

  private var who: HTML? {
    account.map {
      """
      <a class="who" href="/accounts" aria-label="Account: \($0.name). Switch account">\(AccountPicture.initials(of: $0.name, $0.did, " sm"))\
      <span class="id grow"><span class="dn s">\(guest: $0.name)</span></span>\(Icon.right.html)</a>
      """
    }
  }

  private var jump: HTML? {
    account.map {
      """
      <a class="jump" href="\($0.address("discover?by=search"))" aria-label="Search people">\(Icon.search.html)<span>Search people</span><kbd>/</kbd></a>
      """
    }
  }

  private func group(_ heading: String?, _ entries: [Section]) -> HTML {
    "\(heading.map { "<li><h2>\($0)</h2></li>" })\(entries.map(link))"
  }

  private func link(_ section: Section) -> HTML {
    let address =
      switch section {
      case .accounts: "/accounts"
      case .profile: account.map { $0.address("profile/\($0.did)") } ?? "/accounts"
      default: account?.address(section.rawValue) ?? "/accounts"
      }
    let mark: HTML? =
      section == self.section
      ? " aria-current=\"page\"" : section == self.section?.entry ? " aria-current=\"true\"" : nil
    return "<li><a href=\"\(address)\"\(mark)>\(section.icon.html)<span>\(section.entryTitle)</span></a></li>"
  }
}

extension Visit {
  /// A page about an account.
  func page(
    _ title: String, of account: AccountInUse?, in section: Section?, under subtitle: HTML? = nil,
    isWide: Bool = false, titled isTitled: Bool = true, actions: HTML? = nil, _ content: HTML
  ) -> LocalResponse {
    let layout = PageLayout(
      title: title, subtitle: subtitle, account: account, section: section, formToken: formToken,
      isTitled: isTitled, isWide: isWide, actions: actions)
    return .page(layout.html(content))
  }
}
