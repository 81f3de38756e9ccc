// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import TestSupport
import Testing

@testable import kith

/// Names of strangers on their way through the completion of bash: whatever they contain, they stay text.
@Suite struct CompletionBashTests {
  private static let hostile = [
    "$(touch PWNED)", "`touch PWNED`", "${x[$(touch PWNED)]}", "$HOME", "*", "~", "a b  c", "it's",
    "say \"x\"",
    #"back\slash"#, "; touch PWNED", "x && touch PWNED", "<(touch PWNED)", "{a,b}", "!!", "-n",
  ]

  private static let script = CompletionScript(for: .bash).text

  /// What the last word of a line becomes with each offer of bash, if `kith` names these candidates: the word is
  /// evaluated as bash does after Enter.
  private func offers(_ candidates: [String], for words: [String]) throws -> [String] {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-bash-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let script = folder.appending(path: "completion")
    try Data(Self.script.utf8).write(to: script)
    let names = folder.appending(path: "names")
    try Data(candidates.map { $0 + "\n" }.joined().utf8).write(to: names)
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments =
      [
        "bash", "--norc", "--noprofile", "-c",
        """
        source "$1"; names=$2; shift 2
        kith() { cat "$names"; }
        COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=${#COMP_LINE}
        _kith kith "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        case "${COMP_WORDS[COMP_CWORD]}" in [\\'\\"]*) mark="${COMP_WORDS[COMP_CWORD]:0:1}" ;; esac
        for offer in "${COMPREPLY[@]}"; do eval "printf '%s\\n' $mark$offer$mark"; done
        """, "bash", script.path(), names.path(),
      ] + words
    process.currentDirectoryURL = folder
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    // Outside of a completion, bash has no options of one.
    process.standardError = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(!FileManager.default.fileExists(atPath: folder.appending(path: "PWNED").path()))
    return text.split(separator: "\n").map(String.init)
  }

  @Test(arguments: [
    ["kith", "lists", "show", ""], ["kith", "lists", "add", ""], ["kith", "check", "me", "--list", ""],
    ["kith", "block", "--from", "wave.csv", "--column", ""], ["kith", "segments", "remove", ""],
    ["kith", "check", "--account", ""], ["kith", "jobs", "undo", ""],
  ])
  func hostileNamesStayText(words: [String]) throws {
    let offered = try offers(Self.hostile, for: words)
    #expect(Set(Self.hostile).isSubset(of: offered), "\(words): \(offered)")
  }

  /// In double quotes, an exclamation mark would name an earlier line.
  @Test(arguments: ["'", "\""]) func hostileNamesStayTextInQuotes(mark: String) throws {
    let offered = try offers(Self.hostile, for: ["kith", "lists", "show", mark])
    #expect(Set(Self.hostile).isSubset(of: offered), "\(offered)")
  }

  @Test func completesWhatIsTypedInEachQuotation() throws {
    let names = ["My Friends", "My $(touch PWNED)", "Others"]
    for typed in ["My", "My\\ ", "'My ", "\"My "] {
      #expect(try offers(names, for: ["kith", "lists", "show", typed]) == Array(names.prefix(2)), "\(typed)")
    }
    #expect(try offers(names, for: ["kith", "lists", "show", "*"]) == [])
  }

  @Test func constantsAreOfferedAsBefore() throws {
    #expect(try offers([], for: ["kith", "check", "me", "--format", "nd"]) == ["ndjson"])
    #expect(try offers([], for: ["kith", "help", "unfo"]) == ["unfollow"])
  }

  /// Only words of Kith itself may reach an expansion.
  @Test func noCandidateReachesAnExpansion() {
    let lines = Self.script.split(separator: "\n")
    let expansions = lines.filter { $0.contains("compgen") }
    #expect(expansions.allSatisfy { !$0.contains("__kith_custom_complete") && !$0.contains("-W \"$(") })
    #expect(lines.contains { $0.contains("[[ \"${1}\" != -W ]]") })
  }
}
