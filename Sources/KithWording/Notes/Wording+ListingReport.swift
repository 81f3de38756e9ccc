// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithOperations
import KithRelationships

extension Wording {
  /// What could not be listed and what was added; nil if the AppView has listed everything.
  func words(_ report: ListingReport) -> String? {
    let (listing, coverage) = (report.listing, report.coverage)
    let odd =
      coverage.added + coverage.missing + coverage.malformed.count + coverage.unrecorded
      + coverage.otherSubjects + coverage.aboutItself
    guard
      odd + coverage.undecided + coverage.unseen + coverage.deleted > 0 || coverage.fault != nil
        || coverage.isLowerBound
    else { return nil }
    let words =
      report.areGiven
      ? "the named accounts" : "\(listing.app)\(listing.kind) of \(report.owner?.description ?? listing.name)"
    let whole = coverage.counted.map { "\($0) \(words)" } ?? words
    var parts: [String] = []
    if coverage.added > 0, case .graph = listing {
      parts.append(
        "\(coverage.gone) of the \(words) are not shown by the AppView (suspended, deactivated, deleted or without a Bluesky profile)"
      )
    } else if coverage.added > 0 {
      let classes = [
        (coverage.hidden, "hidden by a block or not indexed yet"),
        (coverage.gone, "not shown (suspended, deactivated, deleted or not indexed)"),
        (coverage.unnamed, "without a profile"),
      ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
      // Only a listing that was read to its end, without a fault, leaves accounts out.
      let isCutShort = coverage.isListingCutShort || coverage.unreadable > 0
      let origin =
        isCutShort
        ? "read from the \(listing.records) only"
        : "left out by the AppView and read from the \(listing.records)"
      parts.append(
        "\(coverage.added) of \(whole) were \(origin)"
          + (isCutShort ? "" : ": " + classes.joined(separator: ", ")))
    }
    if coverage.missing > 0 {
      let why: String =
        switch listing {
        case _ where coverage.unreadable > 0 || coverage.isListingCutShort:
          "they are counted, but not all of the AppView's answer can be read"
        case .follows where coverage.fault == nil: "they are counted, but no record names them"
        // Individual reasons do not explain this many.
        case _ where coverage.missing > max(20, (coverage.counted ?? 0) / 3):
          "they are counted, but the listing ended without them and may be incomplete"
        case .follows, .followers, .members, .blocks, .mutes, .blockers, .graph, .reactions:
          "the AppView leaves out accounts that are suspended, deactivated, deleted or hidden by a block"
        }
      parts.append("\(coverage.missing) of \(whole) cannot be listed: \(why)")
    }
    if coverage.malformed.count > 0 {
      parts.append("\(Counted.words(coverage.malformed.count, "record")) cannot be read")
    }
    if coverage.unrecorded > 0 {
      parts.append(
        "of \(words), \(coverage.unrecorded) are shown by the AppView but not found in the repository")
    }
    if coverage.undecided > 0 {
      parts.append("\(coverage.undecided) could not be matched against the filter")
    }
    if coverage.otherSubjects > 0 {
      parts.append("\(coverage.otherSubjects) more records are about something else than an account")
    }
    if coverage.aboutItself > 0, let graph = listing.graph {
      let records = Counted.words(coverage.aboutItself, "more record")
      let verb = coverage.aboutItself == 1 ? "is" : "are"
      parts.append(
        report.owner.map { "\(records) \(verb) about yourself" + hinted(.removeOwnFollow($0, graph)) }
          ?? "\(records) \(verb) about the account itself")
    }
    if coverage.unseen > 0, case .graph = listing {
      parts.append(
        "\(coverage.unseen) cannot be asked: their servers do not show them (suspended, deactivated or deleted)"
      )
    } else if coverage.unseen > 0 {
      parts.append(
        "\(coverage.unseen) are not shown by the AppView, so it is unknown which accounts they follow or block"
      )
    }
    if coverage.deleted > 0 {
      parts.append("\(coverage.deleted) are deleted" + hinted(.findDeleted))
    }
    if coverage.unconfirmed > 0 {
      parts.append("\(coverage.unconfirmed) more are in the index but not confirmed by the AppView")
    }
    if coverage.isLowerBound {
      parts.append("the \(words) are those that the index has seen; there may be more")
    }
    if let fault = coverage.fault {
      parts.append("some details of \(words) could not be read: \(error(fault))")
    }
    return parts.joined(separator: "; ")
  }
}

extension ActorListing {
  /// The app whose graph it is, with a space; empty for Bluesky's.
  fileprivate var app: String { if case .graph(let listing) = self { "\(listing.graph.name) " } else { "" } }

  /// The source of the accounts that the AppView leaves out.
  fileprivate var records: String { if case .followers = self { "index" } else { "repository" } }
}
