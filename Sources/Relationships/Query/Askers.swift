// SPDX-License-Identifier: Apache-2.0

/// Those who wait for the answer about a pair, in the order in which they came: mostly one, who needs no array.
struct Askers {
  private var first: QuestionPool.AskerID?
  private var others: [QuestionPool.AskerID] = []

  init(_ first: QuestionPool.AskerID) { self.first = first }

  var isEmpty: Bool { first == nil }

  /// The one at a position, if there are so many.
  subscript(position: Int) -> QuestionPool.AskerID? {
    if position == 0 { return first }
    return position <= others.count ? others[position - 1] : nil
  }

  mutating func append(_ asker: QuestionPool.AskerID) {
    if first == nil { first = asker } else { others.append(asker) }
  }

  /// Lets one go; false when it was not there.
  mutating func remove(_ asker: QuestionPool.AskerID) -> Bool {
    if first == asker {
      first = others.isEmpty ? nil : others.removeFirst()
      return true
    }
    guard let place = others.firstIndex(of: asker) else { return false }
    others.remove(at: place)
    return true
  }
}
