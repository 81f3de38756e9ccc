// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// The state that is wanted for one account or list; parts that it lacks stay as they are.
struct WantedState: Sendable, Hashable {
  /// Whether there is to be an edge.
  private(set) var edges: [RecordEdge: Bool] = [:]
  private(set) var call: ViewerCall?

  /// Wants nothing.
  init() {}

  /// What a change wants.
  init(_ change: ChangeIntent) {
    switch change {
    case .edge(let edge, let wanted) where wanted != .deduplicate:
      edges[edge] = wanted.makesRecord
      if wanted.makesRecord, let ended = edge.kind.ended, let account = edge.account,
        let other = RecordEdge(ended, to: account)
      {
        edges[other] = false
      }
    case .call(let call): self.call = call
    // Requests, posts, lists and profiles are not shown optimistically, and removing duplicates does not change the edge.
    case .edge, .list, .friends, .posts, .records, .profile: break
    }
  }

  /// The changes that lead there, each before those that may depend on it. Each is about its own edge alone.
  var changes: [ChangeIntent] {
    edges.sorted { "\($0.key.collection)" < "\($1.key.collection)" }.map { .edge($0, $1 ? .make : .remove) }
      + [call.map(ChangeIntent.call)].compactMap(\.self)
  }

  /// Whether there is to be an edge of a kind; nil if none is specified.
  subscript(kind: EdgeKind) -> Bool? { edges.first { $0.key.kind == kind }?.value }

  /// Merges this with a later intent, which takes precedence.
  func followed(by later: WantedState) -> WantedState {
    var merged = self
    merged.edges.merge(later.edges) { _, later in later }
    merged.call = later.call ?? call
    return merged
  }

  /// Whether it holds; nil if too little is known.
  ///
  /// - Parameters:
  ///   - done: what was made to hold beyond the facts.
  ///   - tried: what could not be read. It counts as not met, so the change is made to be sure.
  func isMet(
    by known: SubjectFacts, and done: WantedState = WantedState(),
    havingTried tried: WantedState = WantedState()
  ) -> Bool? {
    var areMet = edges.map { edge, isWanted in
      (done.edges[edge] ?? known.edges[edge.kind].map { !$0.isEmpty }).map { $0 == isWanted }
        ?? (tried.edges[edge] == nil ? nil : false)
    }
    if let call {
      areMet.append(
        done.call.map { $0 == call } ?? known.shows(call) ?? (tried.call == nil ? nil : false))
    }
    return areMet.contains(nil) ? nil : areMet.allSatisfy { $0 == true }
  }
}

extension SubjectFacts {
  /// Whether a call would change nothing; nil if that is not known.
  fileprivate func shows(_ call: ViewerCall) -> Bool? {
    switch (call, mute?.direct) {
    case (.mute(_, let wanted), .scope(let scope)): scope == wanted
    case (.mute, .absent), (.unmute, .scope): false
    case (.unmute, .absent): true
    case (.mute, .hidden), (.mute, nil), (.unmute, .hidden), (.unmute, nil): nil
    case (.muteList, _): listIsMuted
    case (.unmuteList, _): listIsMuted.map { !$0 }
    }
  }
}
