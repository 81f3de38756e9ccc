// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import KithLocalMessages
import KithOperations

/// What is above a list of accounts: other lists, search, filter, order, export.
struct ListingTools {
  private let request: ListingRequest
  private let visit: Visit

  init(_ request: ListingRequest, _ visit: Visit) { (self.request, self.visit) = (request, visit) }

  var html: HTML {
    """
    <div class="tools">\(tabs)<form class="stack t" method="get" action="\(request.plainAddress)" role="search" data-filter>\
    <div class="r"><label class="find">\(Icon.search.html)<span class="vh">Search name, handle or bio</span>\
    <input type="search" name="q" id="search" value="\(request.words ?? "")" placeholder="Name, handle or bio" autocomplete="off"></label>\
    \(orders)\(exports)</div>\(filter)</form></div>
    """
  }

  /// The lists of the account, and which one is shown.
  private var tabs: HTML {
    let own: [Section] =
      request.section == .blocked || request.section == .muted
      ? [.blocked, .muted] : [.followers, .following, .mutuals, .notFollowingBack, .notFollowedBack]
    let tabs = (request.isOwn ? own : ListingPage.publicSections).map { section -> HTML in
      let current: HTML? = section == request.section ? " aria-current=\"page\"" : nil
      let address = request.account.address((request.owner.map { "profile/\($0)/" } ?? "") + section.rawValue)
      return "<a href=\"\(address)\"\(current)>\(section.title)</a>"
    }
    return "<div class=\"tabline\" role=\"navigation\" aria-label=\"Lists\">\(tabs)</div>"
  }

  private var orders: HTML {
    let options = ListAccounts.Key.allCases.map { key -> HTML in
      let isChosen: HTML? = key == request.order ? " selected" : nil
      return "<option value=\"\(key.rawValue)\"\(isChosen)>\(key.words)</option>"
    }
    return """
      <label class="vh" for="sort">Order</label><select class="sel" id="sort" name="sort"><option value="">As listed</option>\(options)</select>
      """
  }

  private var exports: HTML {
    let links = ExportFormat.allCases.map { format -> HTML in
      "<a class=\"b\" href=\"\(request.export(as: format))\" download>\(Icon.download.html)\(format.rawValue.uppercased())</a>"
    }
    return "<span class=\"line n\" role=\"group\" aria-label=\"Export these rows\">\(links)</span>"
  }

  private var filter: HTML {
    """
    <div class="field"><label class="vh" for="filter">Filter</label><div class="find code">\(Icon.filter.html)\
    <input id="filter" name="where" value="\(request.filter ?? "")" placeholder="mutual and followers > 100" spellcheck="false" \
    autocapitalize="off" autocomplete="off" aria-describedby="filter-help" data-help="\(request.account.address("filter"))">\
    <button class="b sm">Apply</button></div><div id="filter-suggestions"></div>\
    <p class="help m xs" id="filter-help">Accounts whose answer is unknown are never matched.</p></div>
    """
  }
}

extension ListAccounts.Key {
  fileprivate var words: String {
    switch self {
    case .handle: "By handle"
    case .name: "By name"
    case .followers: "Most followers first"
    case .followedAt: "Latest first"
    }
  }
}

extension SelectionBar {
  /// What can be done about the accounts of a listing.
  init(_ request: ListingRequest, _ visit: Visit) {
    let changes: [AccountChange] =
      switch request.section {
      case .blocked: [.unblock]
      case .muted: [.unmute]
      case .following where request.isOwn, .mutuals, .notFollowingBack: [.unfollow, .mute, .block]
      default: [.follow, .mute, .block]
      }
    self.init(
      account: request.account, visit: visit, changes: changes,
      fields: [
        ("back", request.address()), ("list", request.section.rawValue),
        ("owner", request.owner?.description), ("q", request.words), ("where", request.filter),
      ], hasAll: true)
  }
}
