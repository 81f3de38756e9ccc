// SPDX-License-Identifier: Apache-2.0

/// A page of a long list, without hidden elements (Q11).
struct Page: Hashable {
  var elements: [Int] = []
  /// Where to continue; nil only at the end.
  var cursor: PageCursor?

  /// Cuts a page of at most `limit` visible elements.
  init(
    of elements: ArraySlice<UInt32>, limit: Int, from start: PageCursor, paging: SandboxPaging,
    where isShown: (Int) -> Bool
  ) {
    var position = min(start.position, elements.count)
    if start.isBeforeEmptyPage {
      cursor = PageCursor(position: position)
      return
    }
    // A read takes up to a page of elements; production refills with at most nine more reads.
    var budget = paging == .refilled ? 10 * limit : limit
    while position < elements.count, self.elements.count < limit, budget > 0 {
      let element = Int(elements[elements.startIndex + position])
      if isShown(element) { self.elements.append(element) }
      position += 1
      budget -= 1
    }
    guard position < elements.count else { return }
    let isEmptyNext = paging == .short && (position / limit).isMultiple(of: 2)
    cursor = PageCursor(position: position, isBeforeEmptyPage: isEmptyNext)
  }
}
