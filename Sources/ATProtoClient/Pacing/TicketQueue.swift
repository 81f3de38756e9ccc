// SPDX-License-Identifier: Apache-2.0

internal import DequeModule

/// Those who wait, first come first served; anyone may leave from the middle.
struct TicketQueue: Sendable {
  /// A place in the queue, by its number.
  typealias Ticket = UInt64

  private var order: Deque<Ticket> = []
  /// How long each of those who still wait may wait; a ticket in `order` that is not here has left.
  private var deadlines: [Ticket: Duration] = [:]

  /// Those who wait.
  var count: Int { deadlines.count }
  /// Whether nobody waits.
  var isEmpty: Bool { deadlines.isEmpty }

  /// Queues at the end.
  mutating func append(_ ticket: Ticket, deadline: Duration) {
    order.append(ticket)
    deadlines[ticket] = deadline
  }

  /// The first.
  var first: Ticket? { order.first { deadlines[$0] != nil } }

  /// Takes the first.
  mutating func popFirst() -> Ticket? {
    defer { if deadlines.isEmpty { order = [] } }
    while let ticket = order.popFirst() {
      if deadlines.removeValue(forKey: ticket) != nil { return ticket }
    }
    return nil
  }

  /// Lets one go; false when it was not there.
  mutating func remove(_ ticket: Ticket) -> Bool {
    defer { if deadlines.isEmpty { order = [] } }
    return deadlines.removeValue(forKey: ticket) != nil
  }

  /// Takes all whose deadline lies before a time, in their order.
  mutating func removeAll(dueBefore moment: Duration) -> [Ticket] {
    guard deadlines.values.contains(where: { $0 < moment }) else { return [] }
    let gone = Array(order.filter { deadlines[$0].map { $0 < moment } ?? false })
    for ticket in gone { deadlines[ticket] = nil }
    if deadlines.isEmpty { order = [] }
    return gone
  }

  /// Takes all, in their order.
  mutating func removeAll() -> [Ticket] {
    defer { self = TicketQueue() }
    return Array(order.filter { deadlines[$0] != nil })
  }
}
