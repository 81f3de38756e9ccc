// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithLexicons

/// An answer of `app.bsky.graph.getRelationships`, decoded row by row: a row that breaks the lexicon does
/// not affect the other 29.
struct RelationshipRows: Decodable {
  /// One row.
  enum Row {
    typealias Element = App.Bsky.Graph.GetRelationships.Output.RelationshipsElement

    /// No relationship with this account, the most common case.
    case nothing(DID)
    indirect case element(Element)
    /// The row cannot be decoded.
    indirect case fault(DecodingError)

    /// - Parameters:
    ///   - members: the members of the row, if it is an object.
    ///   - decoder: positioned at the row.
    init(_ members: JSONMembers?, _ decoder: any Decoder) throws {
      if let row = members.flatMap(Self.usual) {
        self = row
        return
      }
      do {
        self = .element(try Element(from: decoder))
      } catch let error as DecodingError {
        self = .fault(error)
      }
    }
  }

  let actor: DID?
  let relationships: [Row]

  private enum CodingKeys: CodingKey { case actor, relationships }

  init(from decoder: any Decoder) throws {
    if let members = JSONMembers(decoder), let actor = members.did("actor") {
      var rows: [Row] = []
      rows.reserveCapacity(AppViewRelationshipSource.targetsPerCall)
      if try members.forEachElement(of: "relationships", { rows.append(try Row($0, $1)) }) {
        (self.actor, relationships) = (actor, rows)
        return
      }
    }
    let container = try decoder.container(keyedBy: CodingKeys.self)
    actor = try container.decodeIfPresent(DID.self, forKey: .actor)
    relationships = try container.decode([LoneRow].self, forKey: .relationships).map(\.row)
  }

  /// A row of an answer that needs the generic decoder.
  private struct LoneRow: Decodable {
    let row: Row

    init(from decoder: any Decoder) throws { row = try Row(JSONMembers(decoder), decoder) }
  }

  /// Whether exactly these targets are reported as not found.
  func finds(none targets: [DID]) -> Bool {
    relationships.count == targets.count
      && zip(relationships, targets).allSatisfy { row, target in
        if case .element(.notFoundActor(let absent)) = row {
          absent.actor == .did(target)
        } else {
          false
        }
      }
  }
}

extension RelationshipRows.Row {
  /// Decodes the most common kind of row on a fast path, because rows are most of an answer. Nil for any
  /// other or invalid row.
  private static func usual(_ members: JSONMembers) -> Self? {
    guard members.holds("app.bsky.graph.defs#relationship", in: "$type"), let did = members.did("did")
    else { return nil }
    if members.count == 2 { return .nothing(did) }
    guard let following = members.atURIIfPresent("following"),
      let followedBy = members.atURIIfPresent("followedBy"),
      let blocking = members.atURIIfPresent("blocking"),
      let blockedBy = members.atURIIfPresent("blockedBy"),
      let blockingByList = members.atURIIfPresent("blockingByList"),
      let blockedByList = members.atURIIfPresent("blockedByList")
    else { return nil }
    return .element(
      .relationship(
        App.Bsky.Graph.Defs.Relationship(
          did: did, following: following, followedBy: followedBy, blocking: blocking, blockedBy: blockedBy,
          blockingByList: blockingByList, blockedByList: blockedByList)))
  }
}
