// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory

/// Holds events back for a while, so that what is undone meanwhile is not told: an account that follows and unfollows, or
/// leaves and comes back.
///
/// A value without a clock. The history keeps all of it.
struct SettlingEvents {
  /// How long an event is held back.
  let span: Duration

  /// An account on a listing.
  private struct Place: Hashable {
    let listing: HistoryListing
    let account: DID
  }

  private enum Item {
    case change(Place)
    case other(LiveRow.Event)
  }

  /// The oldest first.
  private var queue: [(item: Item, until: Duration)] = []
  private var changes: [Place: (first: HistoryChange, last: HistoryChange)] = [:]

  init(for span: Duration) { self.span = span }

  /// When the next event has settled; nil if none is held back.
  var next: Duration? { queue.first?.until }

  /// Adds an event.
  mutating func add(_ event: LiveRow.Event, at now: Duration) {
    guard case .changed(let change) = event else {
      queue.append((.other(event), now + span))
      return
    }
    let place = Place(listing: change.listing, account: change.account)
    if let held = changes[place] {
      changes[place] = (held.first, change)
    } else {
      changes[place] = (change, change)
      queue.append((.change(place), now + span))
    }
  }

  /// The events that have settled: the last one of each account on a listing, unless it undoes the first.
  mutating func settled(at now: Duration) -> [LiveRow.Event] {
    let due = queue.prefix { $0.until <= now }
    queue.removeFirst(due.count)
    return due.compactMap { item, _ in
      switch item {
      case .other(let event): return event
      case .change(let place):
        guard let held = changes.removeValue(forKey: place),
          (held.first.kind == .lost) == (held.last.kind == .lost)
        else { return nil }
        return .changed(held.last)
      }
    }
  }
}
