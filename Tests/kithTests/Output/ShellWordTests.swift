// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import kith

/// Texts of servers and files in commands that a user may paste.
@Suite struct ShellWordTests {
  static let hostile = [
    "", "plain", "$(touch PWNED)", "`touch PWNED`", "it's", "'; touch PWNED; '", #"\'; touch PWNED; #"#,
    #"\"#, #"a\\b"#, "\"", "two words", "*", "~", "=ls", "-n", "!!", "{a,b}", "#x", "&", "a;b", "<(id)",
    "%self",
    "'\u{301}; touch PWNED; '\u{301}", "\\\u{301}'; touch PWNED; #", "ünï cödé", "a\nb", "\t", "$HOME",
    "?[a]", "^x",
  ]

  /// The one word that a shell makes of the quoted text; nil without the shell.
  static func word(of text: String, in shell: String) throws -> String? {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [shell, "-c", "printf '<%s>' \(text.quotedForShell)"]
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let said = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return process.terminationStatus == 127 ? nil : String(decoding: said, as: UTF8.self)
  }

  @Test(arguments: hostile, ["sh", "bash"])
  func isOneWordWhateverItContains(text: String, shell: String) throws {
    #expect(try Self.word(of: text, in: shell) == "<\(text)>")
  }

  @Test func plainWordsStayAsTheyAre() {
    for text in ["did:plc:abc", "alice.test", "at://a/b/c", "0.5%20"] { #expect(text.quotedForShell == text) }
    #expect("-x y".asValue(of: "--cursor") == "--cursor='-x y'")
    #expect("x y".asValue(of: "--cursor") == "--cursor 'x y'")
  }
}

/// The same in shells that `Scripts/require shells` installs.
@Suite struct ShellWordLongTests {
  @Test(arguments: ShellWordTests.hostile, ["zsh", "fish"])
  func isOneWordWhateverItContains(text: String, shell: String) throws {
    #expect(try ShellWordTests.word(of: text, in: shell) == "<\(text)>")
  }
}
