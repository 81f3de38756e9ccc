// SPDX-License-Identifier: Apache-2.0

internal import ATProtoClient
internal import ATProtoCore
internal import ATProtoLexicons

/// An answer of `app.bsky.graph.getRelationships`, read row by row: a row that breaks the lexicon is a fault of
/// its own, and does not spoil the other 29.
struct RelationshipRows: Decodable {
  /// One row, or why it cannot be read.
  struct Row: Decodable {
    typealias Element = App.Bsky.Graph.GetRelationships.Output.RelationshipsElement

    let outcome: Result<Element, DecodingError>

    init(from decoder: any Decoder) throws {
      do {
        outcome = .success(try Element(from: decoder))
      } catch let error as DecodingError {
        outcome = .failure(error)
      }
    }
  }

  let actor: DID?
  let relationships: [Row]

  /// Whether each target, and nobody else, is said not to be found.
  func finds(none targets: [DID]) -> Bool {
    relationships.count == targets.count
      && zip(relationships, targets).allSatisfy { row, target in
        if case .success(.notFoundActor(let absent)) = row.outcome {
          absent.actor == .did(target)
        } else {
          false
        }
      }
  }
}
