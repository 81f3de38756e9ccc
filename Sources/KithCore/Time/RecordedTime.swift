// SPDX-License-Identifier: Apache-2.0

/// When something was recorded, by the clock of that time: from its beginning to its end.
package struct RecordedTime: Sendable, Hashable {
  package var start: Instant
  package var end: Instant
  /// Whether the clock was wrong, so that only what was recorded before and after it is known.
  package fileprivate(set) var isMisplaced = false

  package init(from start: Instant, to end: Instant) {
    self.start = start
    self.end = end
  }

  /// A clock may have been set back in between.
  fileprivate var inOrder: RecordedTime { RecordedTime(from: min(start, end), to: end) }
}

extension [RecordedTime] {
  /// The times in the order in which they were recorded, none before the one before it.
  ///
  /// A clock that was wrong makes a later record the earlier one. The times of the most records that agree with their
  /// order are believed; of the others, only the records around them are known.
  /// - Parameter now: a later time is wrong.
  package func corrected(until now: Instant) -> [RecordedTime] {
    let believed = map(\.end).longestOrder(until: now)
    var (found, next) = (map(\.inOrder), 0)
    guard believed.count < count else { return found }
    for index in indices {
      if next < believed.count, believed[next] == index {
        next += 1
        continue
      }
      let before = next > 0 ? found[believed[next - 1]].end : nil
      let after = next < believed.count ? found[believed[next]].start : nil
      let start = before ?? after ?? Swift.min(found[index].start, now)
      found[index].isMisplaced = true
      found[index].start = start
      found[index].end = Swift.max(start, after ?? (now < .distantFuture ? now : start))
    }
    return found
  }
}

extension [Instant] {
  /// The positions of the longest part of times that is in order and not after now; of several, the one with the earliest
  /// times.
  package func longestOrder(until now: Instant) -> [Int] {
    var (ends, before) = ([Int](), [Int?](repeating: nil, count: count))
    for (index, time) in enumerated() where time <= now {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if self[ends[middle]] <= time { low = middle + 1 } else { high = middle }
      }
      before[index] = low > 0 ? ends[low - 1] : nil
      if low == ends.count { ends.append(index) } else { ends[low] = index }
    }
    var (found, place) = ([Int](), ends.last)
    while let index = place {
      found.append(index)
      place = before[index]
    }
    return found.reversed()
  }
}
