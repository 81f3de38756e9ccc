// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWording

/// An account: who it is, how the signed-in account and it are related, and what can be done about it.
struct ProfilePage {
  private let account: AccountInUse
  private let visit: Visit
  private let actor: ATIdentifier

  init(_ visit: Visit) throws {
    (account, self.visit, actor) = (try visit.account(), visit, try visit.actor())
  }

  func response() async throws -> LocalResponse {
    let run = try await GatheredRun(ShowProfile(actor, posts: 0), in: account.workspace, most: 1)
    guard let row = run.rows.first else {
      throw run.outcome.interruption ?? DashboardError(.noSuchPage, "\(actor)", "there is no such account")
    }
    let did = row.view.account
    let buttons = try await GatheredRun(
      ShowFollowButtons([did], askingAgain: true, withRequests: true), in: account.workspace, most: 1)
    var button = buttons.rows.first
    button?.button.status = row.view.status
    let content: HTML = """
      <div class="stack l">\(header(row, button))\(problem(run.outcome.interruption))\
      <div class="cols"><div class="stack l">\(between(row, button))\(knownFollowers(row))</div>\
      <div class="stack l">\(lists(row, button))</div></div></div>\(FollowButtonView.form(of: account, visit, leadingBackTo: account.address("profile/\(did)")))
      """
    return visit.page(
      AccountCell.name(of: row.view), of: account, in: did == account.did ? .profile : nil, titled: false,
      content)
  }

  private func problem(_ error: (any Error)?) -> HTML? {
    error.map {
      Notice(kind: .warn, sentence: "<b>Some of this is missing.</b> \(Failure($0).sentence)").html
    }
  }

  // MARK: Header

  private func header(_ row: ProfileRow, _ button: FollowButtonRow?) -> HTML {
    let (view, name) = (row.view, AccountCell.name(of: row.view))
    let about: HTML? = view.description.flatMap {
      $0.isEmpty ? nil : "<p class=\"pre-line\" dir=\"auto\">\(guest: $0)</p>"
    }
    let pronouns: HTML? = row.pronouns.flatMap { $0.isEmpty ? nil : " · \(guest: $0)" }
    return """
      <section class="card" aria-labelledby="name"><div class="prof">\(AccountPicture.html(row.avatar, of: name, view.account, " lg"))\
      <div class="grow stack"><div class="line sp"><div class="id"><h1 id="name">\(guest: name)</h1>\
      <span class="m s">\(guest: view.handle.map { "@\($0)" } ?? "\(view.account)")\(pronouns)</span></div>\
      <div class="line">\(actions(row, button))</div></div>\(badges(row, button))\(sentence(button))\(about)\(website(row))\(counts(view))</div></div></section>
      """
  }

  private func actions(_ row: ProfileRow, _ button: FollowButtonRow?) -> HTML {
    let did = row.view.account
    if did == account.did {
      return
        "<a class=\"b\" href=\"\(account.address("edit"))\">\(Icon.edit.html)Edit profile</a>\(share(row, [], nil))"
    }
    guard let button else { return HTML() }
    let view = FollowButtonView(row: button, name: AccountCell.name(of: row.view), viewer: account)
    return "\(view.html)\(share(row, menu(button), button))"
  }

  /// What can be done besides following; it opens without a script.
  private func share(_ row: ProfileRow, _ items: [HTML], _ button: FollowButtonRow?) -> HTML {
    """
    <details class="drop"><summary class="b ic" aria-label="More actions for \(guestValue: AccountCell.name(of: row.view))">\(Icon.more.html)</summary>\
    <ul class="menu"><li><a href="\(row.page)" rel="noopener noreferrer nofollow" data-copy="\(row.page)">\(Icon.share.html)\
    <span>Share<small>Its page on bsky.app; copies the address</small></span></a></li>\(items)</ul></details>
    """
  }

  private func menu(_ row: FollowButtonRow) -> [HTML] {
    let (did, button) = (row.account, row.button)
    func ask(
      _ change: AccountChange, _ icon: Icon, _ title: String, _ words: String, _ classes: String = ""
    ) -> HTML {
      """
      <li><a class="\(classes)" data-ask href="\(account.address("ask/\(change.rawValue)/\(did)"))">\(icon.html)<span>\(title)<small>\(words)</small></span></a></li>
      """
    }
    var items: [HTML] = []
    if case .byList(let list)? = button.mute {
      items.append(
        "<li><a href=\"\(ListAddress.page(list))\" rel=\"noopener noreferrer nofollow\">\(Icon.mute.html)<span>Open list<small>It mutes this account</small></span></a></li>"
      )
    } else if button.mute != nil {
      items.append(
        "<li><button form=\"\(FollowButtonView.form)\" name=\"do\" value=\"unmute \(did.description)\">\(Icon.mute.html)<span>Unmute</span></button></li>"
      )
    } else {
      items.append(ask(.mute, .mute, "Mute", "Posts, reposts only or quotes only; with or without an end"))
    }
    if !row.isFriend, ![.blocked, .blockedByList, .blocksYou, .gone, .requested].contains(button.state) {
      items.append(
        """
        <li><button form="\(FollowButtonView.form)" name="do" value="\(AccountChange.befriend.rawValue) \(did.description)">\(Icon.plus.html)\
        <span>Ask to be friends<small>A public record</small></span></button></li>
        """)
    }
    if row.isFriend {
      items.append(ask(.remove, .people, "End friendship", "The records of it are deleted"))
    }
    items.append(
      """
      <li><a data-ask href="\(account.address("report/\(did)"))">\(Icon.flag.html)<span>Report<small>A report cannot be undone</small></span></a></li>
      """)
    if button.state != .blocked {
      items.append(ask(.block, .block, "Block", "Public; offers a report first", "bad"))
    }
    return items
  }

  private func badges(_ row: ProfileRow, _ button: FollowButtonRow?) -> HTML? {
    var badges: [HTML] = []
    if let button { badges += Badges(row: button).all }
    if button?.isFriend == true { badges.append(Badges.html(.check, "Friends", "ok")) }
    if row.view.marks?.isVerified == true { badges.append(Badges.html(.check, "Verified")) }
    for label in row.view.marks?.labels ?? [] {
      let source: HTML = label.source == row.view.account ? "the author" : "\(label.source.description)"
      badges.append(Badges.html(.tag, "Label: \(guest: label.value), by \(source)", "un"))
    }
    return badges.isEmpty ? nil : "<div class=\"line\">\(badges)</div>"
  }

  private func sentence(_ button: FollowButtonRow?) -> HTML? {
    button.flatMap { Badges(row: $0).sentence }.map { "<p class=\"m s\">\($0)</p>" }
  }

  /// Only an address of the web becomes a link.
  private func website(_ row: ProfileRow) -> HTML? {
    guard let text = row.website, !text.isEmpty else { return nil }
    guard text.hasPrefix("https://") || text.hasPrefix("http://") else {
      return "<p class=\"s\">\(guest: text)</p>"
    }
    return "<p class=\"s\"><a href=\"\(text)\" rel=\"noopener noreferrer nofollow\">\(guest: text)</a></p>"
  }

  private func counts(_ view: AccountView) -> HTML {
    func link(_ section: Section, _ side: String, _ number: Int?, _ noun: HTML) -> HTML {
      let page =
        view.account == account.did ? section.rawValue : "profile/\(view.account)/\(section.rawValue)"
      return """
        <a href="\(account.address(page))"><b data-count="\(view.account.description) \(side)" aria-live="polite">\(Figure.words(number))</b> \(noun)</a>
        """
    }
    return """
      <div class="stack t"><div class="cnt">\(link(.followers, "followers", view.counts?.followers, "followers"))\
      \(link(.following, "follows", view.counts?.follows, "following"))<span class="line"><b>\(Figure.words(view.counts?.posts))</b> posts</span></div>\
      <p class="m xs">Counted by the AppView, \(PageTime.html(Datetime(at: account.workspace.time.instant))). Counts can differ by viewer, and some accounts cannot be listed.</p></div>
      """
  }

  // MARK: Cards

  /// What has happened between the two.
  private func between(_ row: ProfileRow, _ button: FollowButtonRow?) -> HTML? {
    guard row.view.account != account.did else { return nil }
    var items: [HTML] = []
    func item(_ icon: Icon, _ words: HTML, _ time: Datetime?) {
      items.append(
        "<li>\(icon.html)<div class=\"grow\">\(words)</div>\(time.map { "<span class=\"t\">\(PageTime.day($0))</span>" })</li>"
      )
    }
    if let time = row.followedSince { item(.incoming, "They followed you", time) }
    if let time = row.followingSince { item(.outArrow, "You followed them", time) }
    if let time = row.view.createdAt { item(.clock, "The account was made", time) }
    guard !items.isEmpty else { return nil }
    return
      "<section class=\"card\"><header><h2>You and them</h2></header><ul class=\"list\">\(items)</ul></section>"
  }

  private func knownFollowers(_ row: ProfileRow) -> HTML? {
    guard !row.knownFollowers.isEmpty else { return nil }
    let count = row.view.relationship?.knownFollowers ?? row.knownFollowers.count
    let cells = row.knownFollowers.map {
      "<li>\(AccountCell(view: $0, viewer: account, isSmall: true).html)</li>" as HTML
    }
    let more: HTML? =
      count > row.knownFollowers.count
      ? "<p class=\"m s\">And \(Counted.words(count - row.knownFollowers.count, "more account")).</p>" : nil
    return """
      <section class="card"><header><h2>\(Counted.words(count, "account")) that you follow</h2><span class="m xs">follow them</span></header>\
      <ul class="list">\(cells)</ul>\(more)</section>
      """
  }

  private func lists(_ row: ProfileRow, _ button: FollowButtonRow?) -> HTML? {
    guard row.view.account != account.did else { return nil }
    let items = row.lists.map { list -> HTML in
      """
      <li>\(Icon.list.html)<div class="grow"><a href="\(ListAddress.page(list.uri))" rel="noopener noreferrer nofollow">\(guest: list.name)</a>\
      <div class="m xs">\(list.members.map { Counted.words($0, "account") } ?? "Size unknown")</div></div></li>
      """
    }
    let content: HTML =
      items.isEmpty
      ? "<p class=\"m s\">This account is on none of your lists.</p>" : "<ul class=\"list\">\(items)</ul>"
    let scope: HTML? =
      account.workspace.index == nil
      ? "<p class=\"m xs\">Without an index only your own lists are known.</p>" : nil
    return
      "<section class=\"card\"><header><h2>Your lists with them</h2></header>\(content)\(scope)</section>"
  }
}

extension Visit {
  /// The account that the path names besides the own one.
  // With a typed error, the optimizer of Swift 6.2 crashes where this is inlined into the coroutine of a route.
  func actor() throws -> ATIdentifier {
    let text = parts["actor"] ?? ""
    guard let actor = ATIdentifier(text) else {
      throw DashboardError.invalid(text, "this is not a handle or DID")
    }
    return actor
  }
}

extension FollowButtonRow {
  /// Whether both are friends by consent; false also if that is unknown.
  var isFriend: Bool { button.friendship?.isFriend == true }
}
