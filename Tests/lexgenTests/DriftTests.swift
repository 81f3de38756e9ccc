// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import lexgen

@Suite struct DriftTests {
  /// `make lexicons` fixes a difference.
  @Test func checkedInCodeIsWhatTheLexiconsGive() throws {
    let diagnostics = Diagnostics()
    let files = Compiler().compile(
      try Repository.lexicons.files(ending: ".json"),
      roots: Roots(text: try Repository.text(of: "roots.txt")),
      bounds: Bounds(
        text: try Repository.text(of: "bounds.txt"), file: "bounds.txt", diagnostics: diagnostics),
      diagnostics: diagnostics)
    #expect(diagnostics.all == [])
    #expect(files.count > 40)
    #expect(try Repository.generated.differences(from: files) == [])
  }

  @Test func outputDoesNotDependOnTheOrderOfDocuments() throws {
    let sources = try Repository.lexicons.files(ending: ".json")
    let roots = Roots(text: try Repository.text(of: "roots.txt"))
    let diagnostics = Diagnostics()
    let straight = Compiler().compile(sources, roots: roots, diagnostics: diagnostics)
    let reversed = Compiler().compile(sources.reversed(), roots: roots, diagnostics: diagnostics)
    #expect(straight.map(\.name) == reversed.map(\.name))
    #expect(straight.map(\.text) == reversed.map(\.text))
  }

  @Test func emitsOnlyWhatTheRootsReach() throws {
    let diagnostics = Diagnostics()
    let library = Library(parsing: try Repository.lexicons.files(ending: ".json"), diagnostics: diagnostics)
    let roots = Roots(text: try Repository.text(of: "roots.txt")).documents(
      of: library, file: "roots.txt", diagnostics: diagnostics)
    let usage = Usage(of: roots, in: library)
    #expect(usage.reachable.count == 204)
    #expect(library.documents.values.reduce(0) { $0 + $1.definitions.count } > 200)
  }

  /// The local copies match the official documents, except for their prose.
  @Test(.enabled(if: Vectors.lexicons.areThere, "KITH_LEXICONS names no folder"))
  func lexiconsHaveTheOfficialFacts() throws {
    // The interface of link indexes is not part of the protocol, and Kith's own lexicons are not, either.
    let official = try Repository.lexicons.files(ending: ".json").filter { file in
      !["blue/", "org/kith/temp/graph/"].contains { file.path.hasPrefix($0) }
    }
    for file in official {
      let ours = try OrderedJSON(reading: file.bytes)
      let theirs = try OrderedJSON(reading: try Vectors.lexicons.bytes(file.path))
      #expect(ours == withoutProse(theirs), "\(file.path) is not what the official document says")
    }
  }

  private func withoutProse(_ value: OrderedJSON, namesAreFree: Bool = false) -> OrderedJSON {
    switch value {
    case .array(let elements): return .array(elements.map { withoutProse($0) })
    case .object(let members):
      let kept = members.filter { member in
        guard case .string = member.value else { return true }
        return namesAreFree || member.name != "description"
      }
      return .object(
        kept.map { member in
          let isMap = !namesAreFree && ["defs", "properties"].contains(member.name)
          return OrderedJSON.Member(
            name: member.name, value: withoutProse(member.value, namesAreFree: isMap))
        })
    default: return value
    }
  }
}
