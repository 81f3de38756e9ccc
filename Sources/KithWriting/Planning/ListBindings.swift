// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships

/// The lists that requests to create lists turn out to be about.
///
/// The URI of a new list is chosen before the planning lease. If the list exists by then, or another job is about to
/// create it, all requests that name the new URI are about that one.
struct ListBindings: Sendable {
  private var lists: [ATURI: ATURI] = [:]

  /// Finds the lists that some intents are to create.
  ///
  /// - Parameters:
  ///   - known: the account's own lists; nil if they are not known.
  ///   - history: what jobs have done, or are about to do.
  init(
    of intents: [ChangeIntent], to known: OwnLists?, _ history: [ChangeStep.Subject: [JobHistoryEntry]]
  ) {
    for case .list(.create(let list, let draft)) in intents {
      let found = known?.named(draft.name).first(where: draft.isMet)?.uri
      let namesakes = history[.listName(draft.name)] ?? []
      let planned = namesakes.filter(\.isOpen).compactMap { $0.list(for: draft, besides: list) }.last
      if let other = found ?? planned, other != list { lists[list] = other }
    }
  }

  var isEmpty: Bool { lists.isEmpty }

  subscript(list: ATURI) -> ATURI { lists[list] ?? list }
}

extension ChangeIntent {
  /// The intent about the lists that exist.
  func bound(by lists: ListBindings) -> ChangeIntent {
    switch self {
    case .edge(let edge, let wanted): .edge(edge.list.map { edge.naming(lists[$0]) } ?? edge, wanted)
    case .call(.muteList(let list)): .muteList(lists[list])
    case .call(.unmuteList(let list)): .unmuteList(lists[list])
    case .list(.create(let list, let draft)): .list(.create(lists[list], draft))
    case .list(.edit(let list, let edit)): .list(.edit(lists[list], edit))
    case .list(.delete(let list)): .list(.delete(lists[list]))
    case .list(.clear(let list)): .list(.clear(lists[list]))
    case .call(.mute), .call(.unmute), .friends, .posts, .records, .profile: self
    }
  }
}

extension JobHistoryEntry {
  /// The list that it creates if that matches a draft; it is in the same repository as another one.
  fileprivate func list(for draft: ListDraft, besides other: ATURI) -> ATURI? {
    for write in step.writes where write.collection == .list {
      guard case .create(let value) = write.action else { continue }
      let uri = ATURI(authority: other.authority, collection: .list, recordKey: write.rkey)
      if draft.isMet(by: OwnList(uri: uri, value: value)) { return uri }
    }
    return nil
  }
}
