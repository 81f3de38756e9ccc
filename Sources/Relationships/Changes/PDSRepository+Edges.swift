// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore
internal import ATProtoLexicons

extension PDSRepository {
  public func list(_ collection: NSID, _ take: (RecordKey, RecordEdge?) -> Void) async throws {
    typealias Graph = App.Bsky.Graph
    switch collection {
    case .follow: try await list(Graph.Follow.self, take)
    case .block: try await list(Graph.Block.self, take)
    case .listblock: try await list(Graph.Listblock.self, take)
    case .listitem: try await list(Graph.Listitem.self, take)
    default: throw RepositoryError(.refused, detail: "the records of \(collection) are no edges")
    }
  }

  private func list<Record: EdgeRecord>(
    _ type: Record.Type, _ take: (RecordKey, RecordEdge?) -> Void
  ) async throws {
    for try await row in RecordListing(type, of: account, client: pds) {
      guard let rkey = row.rkey else { continue }
      take(rkey, RecordEdge(row))
    }
  }
}
