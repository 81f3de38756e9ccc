// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@Suite struct BoxedTests {
  private struct Large: Sendable, Hashable {
    var numbers = (0..<4).map { $0 }
    var a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0
  }

  private struct Holder: Sendable, Hashable {
    @Boxed var part: Large?
  }

  @Test func isWhatItHolds() {
    var holder = Holder(part: nil)
    #expect(holder == Holder(part: nil))
    holder.part = Large()
    #expect(holder != Holder(part: nil))
    #expect(holder == Holder(part: Large()))
    #expect(Set([holder, Holder(part: Large())]).count == 1)
  }

  @Test func aCopyIsAValueOfItsOwn() {
    let holder = Holder(part: Large())
    var copy = holder
    copy.part?.h = 7
    #expect(holder.part?.h == 0)
    #expect(copy.part?.h == 7)
    copy.part = nil
    #expect(holder.part != nil)
  }

  @Test func takesThePlaceOfAPointer() {
    #expect(MemoryLayout<Holder>.size == MemoryLayout<Int>.size)
  }
}
