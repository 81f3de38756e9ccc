// SPDX-License-Identifier: Apache-2.0

internal import KithCore

extension ObservationStore {
  private static var edgesPage: Int { 5_000 }

  /// Reads the accounts that are on a listing, in pages.
  package func eachEdge(of listing: HistoryListing, _ body: (HistoryEdge) -> Void) async throws {
    var last: DID?
    while true {
      let page = try await intervals(of: listing, after: last, most: Self.edgesPage)
      guard let end = page.last else { return }
      last = end.edge.account
      for interval in page where interval.lostIn == nil { body(interval.edge) }
    }
  }

  /// How many accounts are on a listing now.
  package func listedCount(of listing: HistoryListing) async throws -> Int {
    var count = 0
    try await eachEdge(of: listing) { _ in count += 1 }
    return count
  }
}
