// SPDX-License-Identifier: Apache-2.0

import KithInsights
import KithLocalMessages

/// A drawing of the sprite that each page has.
enum Icon: String {
  case home, people, out, swap, block, mute, jobs, at, check, clock, refresh, x, plus, warn, undo, info,
    right, left, more, minus, chart
  case download = "dl"
  case incoming = "in"
  case question = "q"

  var html: HTML { "<svg class=\"i\" aria-hidden=\"true\"><use href=\"#i-\(rawValue)\"/></svg>" }
}

/// The pages that the navigation leads to.
enum Section: String, CaseIterable {
  case overview = ""
  case followers, following, mutuals
  case notFollowingBack = "not-following-back"
  case blocked, muted, jobs, analytics
  case accounts

  var title: String {
    switch self {
    case .overview: "Overview"
    case .followers: "Followers"
    case .following: "Following"
    case .mutuals: "Mutuals"
    case .notFollowingBack: "Not following back"
    case .blocked: "Blocked"
    case .muted: "Muted"
    case .jobs: "Jobs"
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
    case .blocked: .block
    case .muted: .mute
    case .jobs: .jobs
    case .analytics: .chart
    case .accounts: .at
    }
  }

  /// On a phone, the others are under "More".
  static let tabs: [Section] = [.overview, .followers, .following, .jobs]
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

  private static let sprite = HTML(markup: String(decoding: PackageResources.icons_svg, as: UTF8.self))

  func html(_ content: HTML) -> HTML {
    """
    <!doctype html>
    <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1,viewport-fit=cover">\
    <meta name="color-scheme" content="light dark"><title>\(title) · Kith</title>\(tokenField)\
    <link rel="icon" href="\(Assets.iconAddress)"><link rel="stylesheet" href="\(Assets.styleAddress)">\
    <script src="\(Assets.scriptAddress)" defer></script></head>
    <body>\(Self.sprite)<a class="skip" href="#main">Skip to content</a>
    <div class="app">\(navigation)
    <main id="main" tabindex="-1"><header class="head"><div><h1>\(title)</h1>\(subtitle.map { "<p class=\"sub\">\($0)</p>" })</div></header>
    \(content)</main></div></body></html>

    """
  }

  private var tokenField: HTML? { formToken.map { "<meta name=\"kith-token\" content=\"\($0)\">" } }

  // MARK: Navigation

  private var navigation: HTML {
    let home = account?.address() ?? "/"
    return """
      <aside class="side" aria-label="Navigation">\(brand(home, ""))\(who)
      <nav aria-label="Main"><ul class="nav">\(Section.allCases.map(link))</ul></nav></aside>
      <header class="bar">\(brand(home, " grow"))</header>
      <nav class="tabs" aria-label="Main"><ul>\(Section.tabs.map(link))<li><details><summary>\(Icon.more.html)<span>More</span></summary>\
      <div class="sheet"><ul class="nav">\(Section.allCases.filter { !Section.tabs.contains($0) }.map(link))</ul></div></details></li></ul></nav>
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

  private func link(_ section: Section) -> HTML {
    let address = section == .accounts ? "/accounts" : account?.address(section.rawValue) ?? "/accounts"
    let mark = section == self.section ? " aria-current=\"page\"" : ""
    return
      "<li><a href=\"\(address)\"\(HTML(markup: mark))>\(section.icon.html)<span>\(section.title)</span></a></li>"
  }
}

extension Visit {
  /// A page about an account.
  func page(
    _ title: String, of account: AccountInUse?, in section: Section?, under subtitle: HTML? = nil,
    _ content: HTML
  ) -> LocalResponse {
    let layout = PageLayout(
      title: title, subtitle: subtitle, account: account, section: section, formToken: formToken)
    return .page(layout.html(content))
  }
}
