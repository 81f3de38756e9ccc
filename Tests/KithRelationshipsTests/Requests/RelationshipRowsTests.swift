// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithCore
import KithLexicons
import Testing

@testable import KithRelationships

/// Rows are decoded on a fast path and, if anything is unusual, by the generated types.
@Suite struct RelationshipRowsTests {
  private static let did = "\"did\":\"did:plc:bgxeqes5nrcchd35ysfun425\""
  private static let type = "\"$type\":\"app.bsky.graph.defs#relationship\""
  private static let uri = "at://did:plc:bgxeqes5nrcchd35ysfun425/app.bsky.graph.follow/3le6hucxls322"

  @Test(arguments: [
    "{\(type),\(did)}",
    "{\(did),\(type)}",
    "{\(type),\(did),\"following\":\"\(uri)\",\"blockedByList\":\"\(uri)\"}",
    "{\(type),\(did),\"following\":null}",
    "{\(type),\(did),\"following\":\"\",\"later\":[1,{\"a\":2}]}",
    "{\(type),\(did),\"following\":7}",
    "{\(type),\(did),\"blocking\":{\"uri\":\"\(uri)\"}}",
    "{\(type),\(did),\"later\":{\"following\":\"\(uri)\"}}",
    "{\(type),\"did\":\"alice.test\"}",
    "{\(type)}",
    "{\(did)}",
    "{\"$type\":\"app.bsky.graph.defs#notFoundActor\",\"actor\":\"alice.test\",\"notFound\":true}",
    "{\"$type\":\"com.example.later\",\"a\":1}",
    "[]", "7", "null",
  ])
  func decodesARowLikeFoundation(row: String) throws {
    let answer = "{\"relationships\":[\(row)]}"
    let ours = try JSONCoding.decode(RelationshipRows.self, from: Array(answer.utf8))
    let theirs = try JSONDecoder().decode(RelationshipRows.self, from: Data(answer.utf8))
    #expect(ours.relationships.map(\.read) == theirs.relationships.map(\.read))
  }
}

extension RelationshipRows.Row {
  /// The decoded row, if it is valid.
  fileprivate var read: Element? {
    switch self {
    case .nothing(let did): .relationship(App.Bsky.Graph.Defs.Relationship(did: did))
    case .element(let element): element
    case .fault: nil
    }
  }
}
