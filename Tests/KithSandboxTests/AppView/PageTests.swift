// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithSandbox

@Suite struct PageTests {
  /// Reads page after page as a client does, until there is no cursor.
  private func pages(
    _ count: Int, limit: Int, _ paging: SandboxPaging, where isShown: (Int) -> Bool
  ) throws -> [Page] {
    let elements = [UInt32](0..<UInt32(count))[...]
    var pages: [Page] = []
    var cursor: String?
    repeat {
      let page = Page(
        of: elements, limit: limit, from: try PageCursor(cursor), paging: paging, where: isShown)
      pages.append(page)
      cursor = page.cursor?.text
    } while cursor != nil && pages.count < 1_000
    return pages
  }

  @Test(arguments: [SandboxPaging.refilled, .short], [0, 1, 9, 10, 11, 95])
  func showsEachElementOnceInOrder(paging: SandboxPaging, count: Int) throws {
    let pages = try pages(count, limit: 10, paging) { $0 % 3 != 0 }
    #expect(pages.flatMap(\.elements) == (0..<count).filter { $0 % 3 != 0 })
    #expect(pages.allSatisfy { $0.elements.count <= 10 })
  }

  @Test func refillsPages() throws {
    let pages = try pages(95, limit: 10, .refilled) { $0 % 3 != 0 }
    #expect(pages.dropLast().allSatisfy { $0.elements.count == 10 })
  }

  /// Ten reads without a visible element end a page (Q11).
  @Test func limitsRefills() throws {
    let pages = try pages(250, limit: 10, .refilled) { $0 >= 240 }
    #expect(pages.map(\.elements.count) == [0, 0, 10])
  }

  @Test func hasShortAndEmptyPagesWithACursor() throws {
    let pages = try pages(95, limit: 10, .short) { $0 % 3 != 0 }
    #expect(pages.contains { $0.elements.isEmpty && $0.cursor != nil })
    #expect(pages.contains { (1..<10).contains($0.elements.count) && $0.cursor != nil })
  }

  @Test(arguments: ["", "e", "-1", "1.5", "3x", "12ee", "99999999999999999999", "٣"])
  func refusesAnInvalidCursor(text: String) {
    #expect(throws: XRPCFault.invalidRequest("Malformed cursor")) { try PageCursor(text) }
  }

  @Test func returnsNothingAfterTheEnd() throws {
    let page = Page(of: [1, 2], limit: 10, from: try PageCursor("500"), paging: .short) { _ in true }
    #expect(page.elements.isEmpty && page.cursor == nil)
  }
}
