// SPDX-License-Identifier: Apache-2.0

import Dispatch
import FuzzDriver
import Glibc
import HTTPTypes
import KithClient
import KithCore
import KithLexicons
import KithPosts
import KithRelationships

/// Answers of servers as Kith reads them: rows of relationships, pages of records, a record, a DID document, feeds,
/// notifications, pages of strangers and their pictures. Their bytes are bounded as on the wire, so that memory is, too: see `-rss_limit_mb` and `-max_len` in the Makefile.
@main enum FuzzAnswers {
  static func main() {
    exit(
      Fuzzing.run { start, count in
        // The first byte says whose answer it is.
        let bytes = Fuzzing.bytes(start, count)
        let done = DispatchSemaphore(value: 0)
        Task.detached {
          await FuzzAnswers.read(Array(bytes.dropFirst()), as: bytes.first ?? 0)
          done.signal()
        }
        done.wait()
        return 0
      })
  }

  /// A server that answers everything with the same body, as long as that is within the limit of the call.
  private struct Server: HTTPTransport {
    let body: [UInt8]
    // Pages of strangers are asked only over transports that check where they connect to.
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

  private static let accounts = (0..<30).compactMap { number in
    DID("did:web:\(number).test")
  }

  private static func read(_ body: [UInt8], as kind: UInt8) async {
    guard let url = try? ServiceURL(parsing: "https://fuzz.test") else { return }
    let (actor, server) = (accounts[0], Server(body: body))
    let client = XRPCClient(
      service: url, transport: server, configuration: XRPCClient.Configuration(retry: .never))
    switch kind % 9 {
    case 0:
      let others = Array(accounts.dropFirst())
      let found = try? await AppViewRelationshipSource(client: client).relationships(of: actor, with: others)
      precondition(found.map { $0.count == others.count } ?? true, "not one finding for each target")
    case 1: await count(RecordReader(of: actor, client: client).records(App.Bsky.Graph.Follow.self))
    case 2: await count(RecordReader(of: actor, client: client).starterPacks())
    case 3:
      if let key = RecordKey("x") { _ = try? await StarterPack.read(key, of: actor, client: client) }
    case 4:
      let resolver = DIDResolver(plc: url, named: TrustedHosts([url]), transport: server, retry: .never)
      let document = try? await resolver.document(of: actor)
      precondition(document.map { $0.id == actor } ?? true, "the document of another")
    case 5:
      var feed = Feeds(Listings(client)).read(.author(.did(actor)))
      var count = 0
      while count <= 800, let items = try? await feed.next(most: 30) { count += items.count }
      precondition(count <= 800, "\(count) posts of two pages")
    case 6: await count(Notifications(Listings(client, as: actor)).all())
    case 7:
      guard let link = URI("https://fuzz.test/") else { return }
      let card = try? await PostDraft.Card(of: link, over: server)
      precondition(card.map { $0.title.count <= 300 && $0.description.count <= 1_000 } ?? true, "a long card")
    default:
      guard let picture = try? Picture(body) else { return }
      precondition((try? Picture(picture.bytes))?.removed.isEmpty == true, "metadata is left")
    }
  }

  /// Reads a listing of which every page is the same: it ends where cursors repeat.
  private static func count(_ listing: some AsyncSequence) async {
    var count = 0
    do { for try await _ in listing { count += 1 } } catch {}
    precondition(count <= 800, "\(count) elements of two pages")
  }
}
