// SPDX-License-Identifier: Apache-2.0

/// Those who wait, first come first served; anyone may leave from the middle.
struct TicketQueue: Sendable {
  /// A place in the queue, by its number.
  typealias Ticket = UInt64

  private var order: [Ticket] = []
  private var head = 0
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
  var first: Ticket? { order[head...].first { deadlines[$0] != nil } }

  /// Takes the first.
  mutating func popFirst() -> Ticket? {
    while head < order.count {
      let ticket = order[head]
      head += 1
      if deadlines.removeValue(forKey: ticket) != nil {
        compact()
        return ticket
      }
    }
    compact()
    return nil
  }

  /// Lets one go; false when it was not there.
  mutating func remove(_ ticket: Ticket) -> Bool {
    defer { if deadlines.isEmpty { reset() } }
    return deadlines.removeValue(forKey: ticket) != nil
  }

  /// Takes all whose deadline lies before a time, in their order.
  mutating func removeAll(dueBefore moment: Duration) -> [Ticket] {
    guard deadlines.values.contains(where: { $0 < moment }) else { return [] }
    let gone = order[head...].filter { deadlines[$0].map { $0 < moment } ?? false }
    for ticket in gone { deadlines[ticket] = nil }
    if deadlines.isEmpty { reset() }
    return Array(gone)
  }

  /// Takes all, in their order.
  mutating func removeAll() -> [Ticket] {
    let gone = order[head...].filter { deadlines[$0] != nil }
    reset()
    return Array(gone)
  }

  private mutating func compact() {
    if deadlines.isEmpty { return reset() }
    guard head > 64, head > order.count / 2 else { return }
    order.removeFirst(head)
    head = 0
  }

  private mutating func reset() {
    order.removeAll(keepingCapacity: true)
    deadlines.removeAll(keepingCapacity: true)
    head = 0
  }
}
