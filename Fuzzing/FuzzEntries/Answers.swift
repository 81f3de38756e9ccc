// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithClient
import KithCore
import KithLexicons
import KithPosts
import KithRelationships

/// Reads bytes as answers of servers: rows of relationships, pages of records, a record, a DID document, feeds,
/// notifications, pages of strangers and their pictures.
///
/// The first byte chooses one of them. The rest is bounded as on the wire, and with it the memory: see `-rss_limit_mb` and
/// `-max_len` in the Makefile.
///
/// - Returns: What was read, and how many elements of it; nothing where the bytes are not such an answer.
/// - Throws: ``BrokenInvariant``.
package func fuzzAnswers(_ bytes: [UInt8]) async throws -> [String: Int] {
  guard let url = try? ServiceURL(parsing: "https://fuzz.test") else { return [:] }
  let body = Array(bytes.dropFirst())
  let (actor, server) = (accounts[0], Server(body: body))
  let client = XRPCClient(
    service: url, transport: server, configuration: XRPCClient.Configuration(retry: .never))
  switch (bytes.first ?? 0) % 9 {
  case 0:
    let others = Array(accounts.dropFirst())
    let found = try? await AppViewRelationshipSource(client: client).relationships(of: actor, with: others)
    try require(found.map { $0.count == others.count } ?? true, "not one finding for each target")
    return read("relationships", found?.count)
  case 1:
    return read(
      "follows", try await count(RecordReader(of: actor, client: client).records(App.Bsky.Graph.Follow.self)))
  case 2:
    return read("starter packs", try await count(RecordReader(of: actor, client: client).starterPacks()))
  case 3:
    guard let key = RecordKey("x") else { return [:] }
    let pack = try? await StarterPack.read(key, of: actor, client: client)
    return read("starter pack", pack.map { _ in 1 })
  case 4:
    let resolver = DIDResolver(plc: url, named: TrustedHosts([url]), transport: server, retry: .never)
    let document = try? await resolver.document(of: actor)
    try require(document.map { $0.id == actor } ?? true, "the document of another")
    return read("document", document.map { _ in 1 })
  case 5:
    var feed = Feeds(Listings(client)).read(.author(.did(actor)))
    var posts = 0
    while posts <= 800, let items = try? await feed.next(most: 30) { posts += items.count }
    try require(posts <= 800, "\(posts) posts of two pages")
    return read("posts", posts)
  case 6:
    return read("notifications", try await count(Notifications(Listings(client, as: actor)).all()))
  case 7:
    guard let link = URI("https://fuzz.test/") else { return [:] }
    let card = try? await PostDraft.Card(of: link, over: server)
    try require(card.map { $0.title.count <= 300 && $0.description.count <= 1_000 } ?? true, "a long card")
    return read("card", card.map { _ in 1 })
  default:
    guard let picture = try? Picture(body) else { return [:] }
    try require((try? Picture(picture.bytes))?.removed.isEmpty == true, "metadata is left")
    return read("picture", 1)
  }
}

private let accounts = (0..<30).compactMap { number in
  DID("did:web:\(number).test")
}

/// A server that answers everything with the same body, as long as that is within the limit of the call.
private struct Server: HTTPTransport {
  let body: [UInt8]
  // Pages of strangers are requested only over transports that check where they connect to.
  let capabilities: TransportCapabilities = [.connectedAddress, .headLimit]

  func send(_ request: TransportRequest) async throws -> TransportResponse {
    guard body.count <= request.limits.responseBytes else {
      throw TransportError(.responseTooLarge, host: "fuzz.test")
    }
    var head = HTTPResponse(status: .ok)
    head.headerFields[.contentType] = "text/html"
    return TransportResponse(head: head, body: body)
  }
}

private func read(_ name: String, _ count: Int?) -> [String: Int] {
  guard let count, count > 0 else { return [:] }
  return [name: count]
}

/// Reads a listing of which every page is the same: it ends where cursors repeat.
private func count(_ listing: some AsyncSequence) async throws -> Int {
  var count = 0
  do { for try await _ in listing { count += 1 } } catch {}
  try require(count <= 800, "\(count) elements of two pages")
  return count
}
