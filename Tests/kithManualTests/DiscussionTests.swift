// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import kith_manual

@Suite struct DiscussionTests {
  @Test func separatesExamplesFromParagraphs() {
    let discussion = Discussion("One\ntwo.\n\n  kith a\n  export B=c\n\nThree.\n\n  kith d\n")
    #expect(discussion.paragraphs == ["One two.", "Three."])
    #expect(discussion.examples == [["kith a", "export B=c"], ["kith d"]])
    #expect(discussion.tables.isEmpty)
  }

  @Test func readsTables() {
    let discussion = Discussion("Exit codes: 0 done, or yes; 75 late: try later.\n\nFiles: ~/x the file.")
    #expect(discussion.paragraphs.isEmpty)
    #expect(
      discussion.tables[.exitStatus] == [
        Discussion.Row(term: "0", meaning: "done, or yes"),
        Discussion.Row(term: "75", meaning: "late: try later"),
      ])
    #expect(discussion.tables[.files]?.map(\.sentence) == ["The file."])
  }

  @Test func findsTheVariablesOfARow() {
    #expect(Discussion.Row(term: "~/a_b", meaning: "jobs ($XDG_DATA_HOME)").variables == ["XDG_DATA_HOME"])
  }
}
