// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithRelationships
import KithWriting
import Testing

@testable import KithOperations
@testable import kith

/// Changes of posts in tables: their addresses can be copied.
@Suite struct ChangeTableTests {
  private let now = Datetime(at: .epoch)

  private func row() throws -> (row: ChangeRow, author: DID) {
    let author = try DID(parsing: "did:plc:6kvetqz2vxk7kz2xvljyeouo")
    var row = ChangeRow(
      verb: "like", input: "https://bsky.app/profile/bob.test/post/3k2yihcrp6f2c", state: .done,
      account: try DID(parsing: "did:plc:ewvi7nxzyoun6zhxrhs64oiz"))
    row.subject = "at://\(author)/app.bsky.feed.post/3k2yihcrp6f2c"
    return (row, author)
  }

  private func layout(_ row: TableRow, columns: Int) -> TableLayout {
    let headings = [row.firstHeading ?? ""] + ChangeRow.headings.dropFirst()
    return TableLayout(headings: headings, rows: [row], least: [0, 0, 0], areAll: true, columns: columns)
  }

  @Test(arguments: [80, 100]) func theAddressOfAPostIsNotCut(columns: Int) throws {
    let (row, author) = try row()
    let palette = Palette(isTerminal: false, forbidden: false, environment: [:])
    #expect(row.unnamed == [author])
    let named = row.named(by: [author: AccountView(author, handle: Handle("bob.test"))])
    for (row, page) in [(row, "profile/\(author)"), (named, "profile/bob.test")] {
      let table = row.tableRow(at: now)
      #expect(table.firstHeading == "POST")
      let lines = layout(table, columns: columns).lines(table, palette)
      #expect(lines.first?.contains("https://bsky.app/\(page)/post/3k2yihcrp6f2c") == true, "\(lines)")
    }
  }

  /// What to do follows in the line on stderr as in the row: with --quiet and in pipes it is all that people see.
  @Test func theAdviceAboutAPictureIsInTheMessageToo() throws {
    var row = ChangeRow(verb: "profile set", input: "alice.test", state: .failed, account: try row().author)
    row.reason = .item("the server does not accept the file of avatar: 400 BlobNotFound: Could not find blob")
    for words in [
      row.withHints.reason?.words, row.withHints.withHints.reason?.words, Message(undone: row)?.text,
    ] {
      #expect(words?.components(separatedBy: "--avatar FILE --banner FILE").count == 2, "\(words ?? "")")
    }
  }

  @Test func rowsAboutAccountsKeepTheirHeading() throws {
    let bob = try DID(parsing: "did:plc:6kvetqz2vxk7kz2xvljyeouo")
    var row = ChangeRow(verb: "follow", input: "\(bob)", state: .done, account: bob)
    row.subject = "\(bob)"
    let named = row.named(by: [bob: AccountView(bob, handle: Handle("bob.test"))]).tableRow(at: now)
    #expect(named.firstHeading == nil && named.cells[0].text == "bob.test")
  }

  @Test func numbersOfJobsLeaveRoomForWhatTheyDid() {
    #expect(JobRow.leastFirst == 6 && ChangeRow.leastFirst == 32)
  }
}
