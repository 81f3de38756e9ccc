// SPDX-License-Identifier: Apache-2.0

/// A part of a long list, after dropping what is not shown (Q11).
struct Page: Hashable {
  var elements: [Int] = []
  /// Where to go on; nil at the end, and only there.
  var cursor: PageCursor?

  /// Cuts a page of at most so many shown elements.
  init(
    of elements: ArraySlice<UInt32>, limit: Int, from start: PageCursor, paging: Sandbox.Paging,
    where isShown: (Int) -> Bool
  ) {
    var position = min(start.position, elements.count)
    if start.isBeforeEmptyPage {
      cursor = PageCursor(position: position)
      return
    }
    // A read takes as many as the page may hold; production refills with nine more at most.
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
