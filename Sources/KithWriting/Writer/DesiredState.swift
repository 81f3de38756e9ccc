// SPDX-License-Identifier: Apache-2.0

internal import KithRelationships

/// The state that is wanted, or known, for one account or list; what is missing is unspecified or unknown.
struct DesiredState: Sendable, Hashable {
  /// The mute of an account; a list is always muted fully.
  enum Mute: Sendable, Hashable {
    case absent
    case scope(MuteScope)

    /// What is muted; nil if nothing is.
    var scope: MuteScope? { if case .scope(let scope) = self { scope } else { nil } }
  }

  /// Whether there is an edge, for each kind.
  var edges: [EdgeKind: Bool] = [:]
  var mute: Mute?

  /// Creates the state that a change wants.
  init(_ change: ChangeIntent) {
    switch change {
    case .follow: edges = [.follow: true]
    case .unfollow: edges = [.follow: false]
    case .block: edges = [.block: true, .follow: false]
    case .unblock: edges = [.block: false]
    case .blockList: edges = [.listblock: true]
    case .unblockList: edges = [.listblock: false]
    case .make(let edge): edges = [edge.kind: true]
    case .remove(let edge): edges = [edge.kind: false]
    case .mute(_, let scope): mute = .scope(scope)
    case .muteList: mute = .scope(.everything)
    case .unmute, .unmuteList: mute = .absent
    // List members, requests, posts and profiles are not shown optimistically, and removing duplicates does not change the edge.
    case .list, .deduplicate, .friends, .posts, .profile: break
    }
  }

  init(edges: [EdgeKind: Bool] = [:], mute: Mute? = nil) {
    self.edges = edges
    self.mute = mute
  }

  /// Creates the state that facts show.
  init(_ known: SubjectFacts) {
    edges = known.edges.mapValues { !$0.isEmpty }
    mute =
      switch known.mute?.direct {
      case .absent: .absent
      case .scope(let scope): .scope(scope)
      case .hidden, nil: known.listIsMuted.map { $0 ? .scope(.everything) : .absent }
      }
  }

  /// Merges this with a later intent, which takes precedence.
  func followed(by later: DesiredState) -> DesiredState {
    DesiredState(edges: edges.merging(later.edges) { _, later in later }, mute: later.mute ?? mute)
  }

  /// Whether the state holds; nil if too little is known.
  ///
  /// - Parameter tried: parts that could not be read. They count as not met, so the change is made to be
  ///   sure.
  func isMet(by known: DesiredState, havingTried tried: DesiredState = DesiredState()) -> Bool? {
    var areMet = edges.map { kind, isThere in
      Self.isMet(isThere, by: known.edges[kind], wasTried: tried.edges[kind] != nil)
    }
    if let mute { areMet.append(Self.isMet(mute, by: known.mute, wasTried: tried.mute != nil)) }
    return areMet.contains(nil) ? nil : areMet.allSatisfy { $0 == true }
  }

  private static func isMet<Part: Equatable>(_ wanted: Part, by known: Part?, wasTried: Bool) -> Bool? {
    known.map { $0 == wanted } ?? (wasTried ? false : nil)
  }
}
