// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing

@testable import kith
@testable import kith_manual

/// The pages of the command as it is.
@Suite struct ManualTests {
  /// All pages by file name, rendered once.
  private static let pages = Result { () throws -> [String: String] in
    let manual = try Manual(json: Data(Kith._dumpHelp().utf8), version: "1.0.0", date: "2026-01-31")
    return Dictionary(uniqueKeysWithValues: manual.pages.map { ($0.fileName, $0.text) })
  }
  private let pages: [String: String]

  init() throws { pages = try Self.pages.get() }

  private func lines(_ name: String) throws -> [Substring] {
    try #require(pages[name]).split(separator: "\n", omittingEmptySubsequences: false)
  }

  /// The lines of a section, without its heading.
  private func section(_ title: String, of name: String) throws -> [Substring] {
    let lines = try lines(name)
    let start = try #require(lines.firstIndex { $0 == ".SH \(title)" || $0 == ".SH \"\(title)\"" })
    return lines[(start + 1)...].prefix { !$0.hasPrefix(".SH ") }.map { $0 }
  }

  @Test func everyCommandHasAPage() {
    for name in ["kith.1", "kith-check.1", "kith-jobs.1", "kith-jobs-undo.1"] {
      #expect(pages[name] != nil)
    }
  }

  @Test func noPageBreaksARuleOfFormatters() {
    for (name, text) in pages {
      let lines = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
      #expect(lines.first?.hasPrefix(".TH KITH") == true)
      var isExample = false
      for (line, next) in zip(lines, lines.dropFirst() + [""]) {
        isExample = line == ".EX" || (isExample && line != ".EE")
        #expect(!line.isEmpty && line.utf8.allSatisfy { (0x20..<0x7f).contains($0) }, "\(name)")
        #expect(isExample || line.utf8.count <= 80, "\(name): \(line)")
        if line == ".PP" || line == ".TP" {
          #expect(!next.hasPrefix(".SH") && !next.hasPrefix(".PP"), "\(name)")
        }
      }
    }
  }

  @Test func everyPageHasTheSectionsOfACommand() throws {
    for name in pages.keys {
      for title in ["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS"] {
        #expect(try !section(title, of: name).isEmpty)
      }
    }
    #expect(try !section("ENVIRONMENT", of: "kith.1").isEmpty)
    #expect(try !section("FILES", of: "kith.1").isEmpty)
  }

  @Test func everyExitStatusIsExplained() throws {
    let lines = try section("EXIT STATUS", of: "kith-jobs-undo.1")
    for status in ExitStatus.allCases { #expect(lines.contains(Substring(Roff.bold("\(status.rawValue)")))) }
  }

  @Test func optionsAreGroupedWithTheirValuesAndDefaults() throws {
    let options = try section("OPTIONS", of: "kith-check.1")
    #expect(options.contains(".SS Question") && options.contains(".SS \"Common options\""))
    #expect(options.contains("Values: table, json, ndjson, csv."))
    #expect(options.contains("Default: 8."))
    #expect(try section("OPTIONS", of: "kith-lists-create.1").contains("Values: curate, mod."))
  }

  @Test func examplesComeFromTheHelpOfTheCommandOrOfOthers() throws {
    #expect(try section("EXAMPLES", of: "kith-check.1").contains("kith check alice.test bob.test"))
    #expect(try section("EXAMPLES", of: "kith-jobs-undo.1").contains("kith jobs undo 7"))
    #expect(try !section("DESCRIPTION", of: "kith-check.1").contains { $0.contains("alice.test bob.test") })
  }

  @Test func pagesReferToTheirParentAndTheirSubcommands() throws {
    let references = try section("SEE ALSO", of: "kith-jobs.1").joined(separator: " ")
    #expect(references.hasPrefix(Roff.bold("kith") + "(1), " + Roff.bold("kith-jobs-list") + "(1)"))
    #expect(try section("SEE ALSO", of: "kith-jobs-undo.1").joined().contains(Roff.bold("kith-jobs") + "(1)"))
    #expect(try section("COMMANDS", of: "kith-jobs.1").contains(Substring(Roff.bold("list") + " (default)")))
  }

  @Test func hiddenOptionsStayHidden() {
    #expect(!pages.values.contains { $0.contains(Roff.escape("--commit-size")) })
  }
}
