// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@Suite struct IndirectTests {
  private struct Tree: Codable, Hashable {
    var name: String
    var parent: Indirect<Tree>?
  }

  @Test func holdsAValueOfItsOwnKind() throws {
    let json = #"{"name":"leaf","parent":{"name":"branch","parent":{"name":"root"}}}"#
    var tree = try JSONCoding.decode(Tree.self, from: Array(json.utf8))
    #expect(tree.parent?.value.parent?.value == Tree(name: "root", parent: nil))
    #expect(String(decoding: try JSONCoding.encode(tree), as: UTF8.self) == json)
    let copy = tree
    tree.parent?.value.name = "twig"
    #expect(copy.parent?.value.name == "branch")
    #expect(tree != copy)
  }
}
