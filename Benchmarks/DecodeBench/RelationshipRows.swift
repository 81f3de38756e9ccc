// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons

/// A batch's answer as the service reads it: row by row, each with a fault of its own. The service's type of
/// this name is internal to it.
struct RelationshipRows: Decodable {
  struct Row: Decodable {
    let outcome: Result<App.Bsky.Graph.GetRelationships.Output.RelationshipsElement, DecodingError>

    init(from decoder: any Decoder) throws {
      do {
        outcome = .success(try .init(from: decoder))
      } catch let error as DecodingError {
        outcome = .failure(error)
      }
    }
  }

  let actor: DID?
  let relationships: [Row]
}
