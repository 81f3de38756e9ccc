// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithInsights
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWording

/// People who may be worth a follow: found by a text, suggested by the AppView, or close in the network.
struct DiscoverPage {
  private let request: DiscoverRequest
  private let visit: Visit

  /// - Throws: as `DiscoverRequest.init(_:)`.
  init(_ visit: Visit) throws { (request, self.visit) = (try DiscoverRequest(visit), visit) }

  private var account: AccountInUse { request.account }

  /// The page, or for a script only the people.
  func response() async throws -> LocalResponse {
    if visit.items["part"] == "people" { return .page(try await people()) }
    return SlowPage(
      title: "Discover", subtitle: "People you may want to follow, and why", account: account,
      section: .discover, tools: tools, waiting: waiting
    ).response(visit) { try await content() }
  }

  // MARK: Above the people

  private var tools: HTML {
    """
    <div class="tools"><form class="r" method="get" action="\(DiscoverRequest.address(of: account))" role="search" data-people>\
    <label class="find">\(Icon.search.html)<span class="vh">Search people</span><input type="search" name="q" id="search" value="\(request.words)" \
    maxlength="\(DiscoverRequest.longestText)" placeholder="Search people by name, handle or bio" autocomplete="off"></label>\
    <input type="hidden" name="by" value="\(request.formKind)"><button class="b">Search</button></form>\
    <div class="line sp">\(kinds)<span class="vh" id="people-count" role="status"></span></div></div>
    """
  }

  private var kinds: HTML {
    let links = DiscoverRequest.Kind.allCases.filter { $0 != .search || request.kind == .search }.map {
      kind -> HTML in
      let current: HTML? = kind == request.kind ? " aria-current=\"page\"" : nil
      let address = kind == request.kind ? request.address : DiscoverRequest.address(of: kind, account)
      return "<a href=\"\(address)\"\(current)>\(kind.title)</a>"
    }
    return "<div class=\"seg\" role=\"navigation\" aria-label=\"Kind\">\(links)</div>"
  }

  private var waiting: HTML {
    switch request.kind {
    case .recommended, .nearby:
      "Looking at the newest follows of the accounts that you follow. The first time takes longer; what was read is used again for a day."
    case .search: "Searching."
    case .suggested: "Asking the AppView."
    case .recent, .popular: "Reading your lists."
    }
  }

  // MARK: People

  private func content() async throws -> HTML {
    let dismissed = try await DismissedPeople(account, visit).html(leadingBackTo: request.address)
    var found: HTML
    do { found = try await people() } catch {
      // The rest of the page works without them.
      let sentence: HTML = "<b>No people could be found.</b> \(Failure(error).sentence)"
      let again: HTML = "<a class=\"b sm\" href=\"\(request.address)\">Try again</a>"
      found = "<div id=\"people\">\(Notice(kind: .bad, sentence: sentence, actions: again).html)</div>"
    }
    return """
      <div class="stack l">\(found)<div class="cols half">\(Self.explanation)<div>\(dismissed)</div></div></div>\
      \(FollowButtonView.form(of: account, visit, leadingBackTo: request.address))
      """
  }

  private static let explanation: HTML = """
    <section class="card"><header><h2>How suggestions are made</h2></header><ul class="pts">\
    <li>\(Icon.people.html)<span><b>For you</b> counts your follows and theirs on this machine, and lists that you share. No recommendation service is told anything.</span></li>\
    <li>\(Icon.compass.html)<span><b>Nearby</b> means close in the network: friends of friends. Kith knows no location.</span></li>\
    <li>\(Icon.out.html)<span><b>Suggested</b> comes from the AppView. <b>Recent</b> are your newest followers, <b>Popular</b> those with the most followers among the accounts that you follow.</span></li>\
    <li>\(Icon.block.html)<span>Accounts with a block in either direction are left out. Suggestions also leave out those that you mute or have dismissed, and those that ask not to be recommended.</span></li></ul></section>
    """

  /// The people, where the script puts others.
  private func people() async throws -> HTML {
    guard let operation = request.operation else { return wrapped(nothingTyped) }
    let run = try await GatheredRun(operation, in: account.workspace, most: request.most)
    guard !run.rows.isEmpty else { return wrapped(emptyState(run.outcome)) }
    let known = try await account.followButtons(of: run.rows.map(\.view.account))
    let cards = run.rows.map {
      PersonCard(
        row: $0, button: known[$0.view.account], kind: request.kind, canDismiss: request.canDismiss,
        viewer: account
      ).html
    }
    var parts: [HTML] = []
    if let error = run.outcome.interruption {
      let sentence: HTML = "<b>Some people may be missing.</b> \(Failure(error).sentence)"
      parts.append(Notice(kind: .warn, sentence: sentence).html)
    }
    parts.append("<ul class=\"tiles\">\(cards)</ul>")
    parts.append(
      "<div class=\"line sp\" id=\"people-end\">\(summary(run.outcome))\(more(run.rows.count))</div>")
    let notes = run.notes.compactMap { $0.note.sentence }.map { "<li>\($0)</li>" as HTML }
    if !notes.isEmpty { parts.append("<ul class=\"m xs\">\(notes)</ul>") }
    return wrapped("<div class=\"stack\">\(parts)</div>")
  }

  private func wrapped(_ html: HTML) -> HTML { "<div id=\"people\">\(html)</div>" }

  /// How many there are, from where, and what was left out.
  private func summary(_ outcome: PeopleFound) -> HTML {
    let source: HTML =
      switch request.kind {
      case .recommended, .nearby: "Computed on this machine"
      default: "From the AppView"
      }
    return """
      <p class="m xs grow" data-sentence>\(outcome.sentence(in: .neutral).capitalizedFirst). \(source), \(PageTime.html(Datetime(at: account.workspace.time.instant))).</p>
      """
  }

  private func more(_ count: Int) -> HTML? {
    guard count >= request.most else { return nil }
    guard let address = request.addressOfMore else {
      return "<span class=\"m xs\">At most \(Figure.words(request.most)) are shown.</span>"
    }
    return "<a class=\"b\" href=\"\(address)\" data-more>Load more</a>"
  }

  // MARK: None

  private var nothingTyped: HTML {
    EmptyState(
      title: "Search people", sentence: "Type a part of a name, a handle or a description.",
      wayOn: "<a class=\"b\" href=\"\(DiscoverRequest.address(of: account))\">See who is close to you</a>"
    ).html
  }

  private func emptyState(_ outcome: PeopleFound) -> HTML {
    let suggested: HTML = """
      <a class="b" href="\(DiscoverRequest.address(of: .suggested, account))">See what the AppView suggests</a>
      """
    let forYou: HTML =
      "<a class=\"b\" href=\"\(DiscoverRequest.address(of: account))\">See who is close to you</a>"
    let (title, sentence, wayOn): (String, HTML, HTML) =
      switch request.kind {
      case .search:
        (
          "No one found", "No handle, name or description fits “\(guest: request.words)”.", forYou
        )
      case .suggested: ("No suggestions", "The AppView suggests no one now.", forYou)
      case .recent: ("No followers yet", "Your newest followers stand here.", forYou)
      case .popular:
        (
          "No one followed yet",
          "Those with the most followers among the accounts that you follow stand here.", suggested
        )
      case .recommended, .nearby:
        (
          "No one is close yet",
          outcome.reach?.follows == 0
            ? "Suggestions come from the accounts that you follow. Search for someone you know, or see what the AppView suggests."
            : "All that your follows follow are followed already, or were left out: \(outcome.sentence(in: .neutral)).",
          suggested
        )
      }
    return EmptyState(title: title, sentence: sentence, wayOn: wayOn).html
  }
}
