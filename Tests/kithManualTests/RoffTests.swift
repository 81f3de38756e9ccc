// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import kith_manual

@Suite struct RoffTests {
  @Test(arguments: [
    ("--from", #"\-\-from"#), (#"a\b"#, #"a\eb"#), ("it's", #"it\(aqs"#), ("~/x", #"\(ti/x"#),
    ("é", #"\[u00E9]"#), ("🦋", #"\[u1F98B]"#),
  ])
  func escapesWhatFormattersReplace(text: String, escaped: String) {
    #expect(Roff.escape(text) == escaped)
  }

  @Test func wrapsTextAndStartsALineAfterEachSentence() {
    var roff = Roff()
    roff.fill("One. Two (three.) Four " + String(repeating: "word ", count: 40))
    #expect(roff.lines.prefix(2) == ["One.", "Two (three.)"])
    #expect(roff.lines.allSatisfy { $0.utf8.count <= Roff.width })
  }

  @Test(arguments: [".SH", "'br", "..."])
  func aLineOfTextIsNoMacro(text: String) {
    var roff = Roff()
    roff.line(text)
    #expect(roff.lines == [#"\&"# + text])
  }

  @Test func quotesArgumentsWithSpaces() {
    var roff = Roff()
    roff.macro("SH", "SEE ALSO")
    #expect(roff.lines == [#".SH "SEE ALSO""#])
  }
}
