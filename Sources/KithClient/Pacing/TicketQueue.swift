// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// A FIFO queue of waiters that can leave from the middle.
struct TicketQueue: Sendable {
  /// The number of a place in the queue.
  typealias Ticket = UInt64

  private var order: Deque<Ticket> = []
  /// The deadline of each waiter; a ticket in `order` without one has left.
  private var deadlines: [Ticket: Duration] = [:]

  /// The number of waiters.
  var count: Int { deadlines.count }
  /// Whether there are no waiters.
  var isEmpty: Bool { deadlines.isEmpty }

  /// Appends a waiter.
  mutating func append(_ ticket: Ticket, deadline: Duration) {
    order.append(ticket)
    deadlines[ticket] = deadline
  }

  /// The first waiter.
  var first: Ticket? { order.first { deadlines[$0] != nil } }

  /// Removes the first waiter.
  mutating func popFirst() -> Ticket? {
    defer { if deadlines.isEmpty { order = [] } }
    while let ticket = order.popFirst() {
      if deadlines.removeValue(forKey: ticket) != nil { return ticket }
    }
    return nil
  }

  /// Removes a waiter; false if it was not in the queue.
  mutating func remove(_ ticket: Ticket) -> Bool {
    defer { if deadlines.isEmpty { order = [] } }
    return deadlines.removeValue(forKey: ticket) != nil
  }

  /// Removes all waiters whose deadline is before a time, in queue order.
  mutating func removeAll(dueBefore moment: Duration) -> [Ticket] {
    guard deadlines.values.contains(where: { $0 < moment }) else { return [] }
    let gone = Array(order.filter { deadlines[$0].map { $0 < moment } ?? false })
    for ticket in gone { deadlines[ticket] = nil }
    if deadlines.isEmpty { order = [] }
    return gone
  }

  /// Removes all waiters, in queue order.
  mutating func removeAll() -> [Ticket] {
    defer { self = TicketQueue() }
    return Array(order.filter { deadlines[$0] != nil })
  }
}
