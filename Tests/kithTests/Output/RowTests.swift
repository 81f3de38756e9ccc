// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithRelationships
import KithWriting
import TestSupport
import Testing

@testable import KithOperations
@testable import kith

/// Rows with computed fields.
@Suite struct RowTests {
  private func json<Row: PrintableRow>(_ row: Row) -> String {
    var encoder = RowEncoder(Row.fieldNames, style: .json)
    encoder.encode(row)
    return String(decoding: encoder.bytes, as: UTF8.self)
  }

  /// Rows for scripts and tables both show that a job can be resumed.
  @Test func aJobWhoseProcessDiedIsInterrupted() {
    let moment = Datetime(at: 0)
    let job = Job(
      id: JobID(number: 1), account: Accounts.did(0), title: "follow", state: .running, createdAt: moment)
    let holder = LeaseOwner(process: 1, host: "here", since: moment)
    for (holder, state) in [(nil, "interrupted"), (holder, "running")] {
      let row = JobRow(summary: JobSummary(job: job, counts: JobCounts(), holder: holder))
      #expect(json(row).contains("\"state\":\"\(state)\""))
      #expect(row.tableRow(at: Datetime(at: .epoch)).cells[3].text == "\(state) 0 of 0")
    }
  }

  @Test(arguments: [(true, "active"), (false, "not active"), (nil, "unknown")] as [(Bool?, String)])
  func anAccountIsActiveOnlyIfItsServerSaysSo(isActive: Bool?, state: String) throws {
    let token = try #require(SessionToken("a.b.c"))
    let session = Session(
      did: Accounts.did(0), handle: Accounts.handle(0), pds: try ServiceURL(parsing: "https://pds.test"),
      pdsIsUserSpecified: true, accessToken: token, refreshToken: token, receivedAt: 0, isActive: isActive)
    let row = AccountRow(did: session.did, session: session, isCurrent: true)
    #expect(row.tableRow(at: Datetime(at: .epoch)).cells[2].text == state)
  }
}
