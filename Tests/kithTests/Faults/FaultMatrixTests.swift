// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import SandboxSupport

/// A sample of the fault tables, for every commit.
@Suite struct FaultMatrixTests {
  /// Commands, each with the faults that tell it from others.
  private static let sample: [(name: String, faults: Set<Fault>)] = [
    ("check", [.serverErrorOnce, .proxied, .pdsDown]),
    ("check, just changed", [.resetAfter, .pdsDown, .lagging, .laggingWithoutPDS]),
    ("follow DID", [.serverErrorOnce, .resetAfter, .proxied, .pdsDown]),
    ("report", [.resetAfter, .proxied, .pdsDown]),
  ]

  @Test func commandsMatchTheFaultTables() async throws {
    let document = try FaultDocument()
    for (name, faults) in Self.sample {
      let verb = try #require(FaultCase.all.first { $0.name == name })
      let differences = document.differences(of: verb, try await FaultMatrix.cells(of: verb, under: faults))
      #expect(differences == [], "\(differences)")
    }
  }
}

/// The complete fault tables.
@Suite struct FaultMatrixLongTests {
  @Test func everyCommandMatchesTheFaultTables() async throws {
    var rows: [(FaultCase, [Fault: String])] = []
    // `KITH_FAULT_VERBS=post,like` runs those alone.
    let chosen = ProcessInfo.processInfo.environment["KITH_FAULT_VERBS"]?.split(separator: ",").map(
      String.init)
    for verb in FaultCase.all where chosen?.contains(verb.name) ?? true {
      rows.append((verb, try await FaultMatrix.cells(of: verb, under: Set(FaultDocument.tables.joined()))))
    }
    if WordingCatalogue.isWritten { try FaultDocument.write(rows) }
    let document = try FaultDocument()
    let differences = rows.flatMap { document.differences(of: $0, $1) }
    #expect(differences == [], "\(differences)")
  }
}

/// The tables of `docs/FAULTS.md`.
struct FaultDocument {
  static let tables = [Fault.passing, Fault.lasting, Fault.manners, Fault.lags]
  private static let mark = "<!-- table -->"
  private static let file = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../docs/FAULTS.md").standardized

  private var cells: [String: [Fault: String]] = [:]

  init() throws {
    let parts = try String(contentsOf: Self.file, encoding: .utf8).components(separatedBy: Self.mark)
    for (index, faults) in Self.tables.enumerated() where 2 * index + 1 < parts.count {
      for line in parts[2 * index + 1].split(separator: "\n") {
        let texts = line.split(separator: "|").map { $0.trimmingPrefix(" ").description }
          .map { $0.hasSuffix(" ") ? String($0.dropLast()) : $0 }
        for (fault, text) in zip(faults, texts.dropFirst()) { cells[texts[0], default: [:]][fault] = text }
      }
    }
  }

  /// The differences of a command from the table, by fault.
  func differences(of verb: FaultCase, _ found: [Fault: String]) -> [String] {
    let known = cells["`\(verb.name)`"] ?? [:]
    return found.filter { !Self.agree(known[$0], $1, within: verb.asksAtOnce ? $0.mostSwing : 0) }
      .map { "\(verb.name), \($0.rawValue): \($1), not \(known[$0] ?? "in the table")" }.sorted()
  }

  /// Whether two cells are equal, with numbers of requests within a distance.
  private static func agree(_ known: String?, _ found: String, within distance: Int) -> Bool {
    guard let known = known?.components(separatedBy: " · "), known.count == 2,
      case let found = found.components(separatedBy: " · "), found.count == 2,
      let before = Int(known[1]), let now = Int(found[1])
    else { return false }
    return known[0] == found[0] && abs(before - now) <= distance
  }

  /// Replaces the tables in the document; commands that were not run keep their cells.
  static func write(_ found: [(verb: FaultCase, cells: [Fault: String])]) throws {
    let known = try FaultDocument().cells
    let rows = FaultCase.all.map { verb in
      (verb: verb, cells: found.first { $0.verb.name == verb.name }?.cells ?? known["`\(verb.name)`"] ?? [:])
    }
    var parts = try String(contentsOf: file, encoding: .utf8).components(separatedBy: mark)
    try #require(parts.count == 2 * tables.count + 1, "docs/FAULTS.md lacks the marks of its tables")
    for (index, faults) in tables.enumerated() {
      var lines = [["verb"] + faults.map(\.rawValue), Array(repeating: "---", count: faults.count + 1)]
      lines += rows.map { row in ["`\(row.verb.name)`"] + faults.map { row.cells[$0] ?? "" } }
      parts[2 * index + 1] = "\n" + lines.map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }
    try Data(parts.joined(separator: mark).utf8).write(to: file)
  }
}

extension Fault {
  /// By how much the number of requests varies for commands that make several at once. While a server fails, the
  /// attempts of one call may end with the failure of another, or with the circuit breaker that it opens.
  fileprivate var mostSwing: Int { Self.passing.contains(self) || Self.manners.contains(self) ? 1 : 6 }
}
