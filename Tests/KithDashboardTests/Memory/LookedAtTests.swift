// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import TestSupport
import Testing

@testable import KithDashboard

@Suite final class LookedAtTests {
  private let root = FileManager.default.temporaryDirectory.appending(
    path: "kith-dashboard-\(UUID().uuidString)"
  ).path()
  private var folder: SecureFolder { SecureFolder(path: "\(root)/data") }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  private func time(_ minutes: Int) -> Datetime {
    Datetime(at: Instant(microsecondsSinceEpoch: 1_760_000_000_000_000 + Int64(minutes) * 60_000_000))
  }

  /// When the visit before the last one of these looks ended, in minutes.
  private func before(_ minutes: Int...) -> Datetime? {
    var looked = LookedAt()
    for minute in minutes { looked.look(time(minute)) }
    return looked.before
  }

  @Test func aFirstVisitHasNoneBefore() {
    #expect(before(0) == nil && before(0, 10, 39) == nil)
  }

  @Test func aPauseOfHalfAnHourEndsAVisit() {
    #expect(before(0, 10, 40) == time(10))
    #expect(before(0, 10, 40, 41, 60) == time(10), "it is the same visit")
    #expect(before(0, 10, 40, 100) == time(40))
  }

  @Test func aClockThatGoesBackBeginsNoVisit() {
    #expect(before(100, 0) == nil && before(100, 0, 131) == time(100))
    #expect(before(0, 525_600) == time(0), "a year later")
  }

  @Test func whatIsRememberedIsReadAgain() throws {
    let memory = DashboardMemory(in: folder)
    #expect(memory.look(at: Accounts.did(0), time(0)) == nil)
    let again = DashboardMemory(in: folder)
    #expect(again.look(at: Accounts.did(0), time(50)) == time(0))
    #expect(again.look(at: Accounts.did(1), time(50)) == nil, "each account has its own")
  }

  @Test(arguments: ["", "{", "[]", "{\"visits\":7}", "{\"visits\":{},\"running\":[-1]}"])
  func aDamagedFileIsNothingRemembered(text: String) throws {
    try folder.write(Array(text.utf8), to: "dashboard.json")
    let memory = DashboardMemory(in: folder)
    #expect(memory.look(at: Accounts.did(0), time(0)) == nil)
    #expect(memory.look(at: Accounts.did(0), time(31)) == time(0), "it is written again")
  }

  @Test func aFolderThatCannotBeWrittenIsNoFault() {
    let memory = DashboardMemory(in: SecureFolder(path: "/proc/nothing"))
    #expect(memory.look(at: Accounts.did(0), time(0)) == nil)
    #expect(memory.unfinished.isEmpty)
  }
}
