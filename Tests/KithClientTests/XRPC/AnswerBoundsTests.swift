// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore
import KithLexicons
import TestSupport
import Testing

@Suite struct AnswerBoundsTests {
  private typealias Relationships = App.Bsky.Graph.GetRelationships

  private func client(_ transport: ScriptedTransport) throws -> XRPCClient {
    XRPCClient(
      service: try ServiceURL(parsing: "https://appview.test"), transport: transport,
      time: ManualClock(.skipping).timeSource())
  }

  /// The outcome of a response to a query about two accounts.
  private func fault(of answer: String) async throws -> (XRPCError?, calls: Int) {
    let transport = ScriptedTransport { _ in TransportResponse(answer) }
    let parameters = Relationships.Parameters(
      actor: .did(Accounts.did(0)), others: [.did(Accounts.did(1)), .did(Accounts.did(2))])
    do {
      _ = try await client(transport).query(Relationships.self, parameters)
      return (nil, transport.requests.count)
    } catch { return (error as? XRPCError, transport.requests.count) }
  }

  @Test(arguments: ["5", "null", "{}", "[]", #""""#])
  func oneElementMoreThanWasAskedForIsNotRead(element: String) async throws {
    let answer = #"{"relationships":["# + Array(repeating: element, count: 3).joined(separator: ",") + "]}"
    let (error, calls) = try await fault(of: answer)
    #expect(error?.code == .invalidResponse && error?.method == Relationships.nsid)
    #expect(error?.underlying?.isBeyondBounds == true)
    #expect((error?.underlying).map { DecodingFault($0).path } == "relationships[2]")
    // A retry would have the same result.
    #expect(calls == 1)
  }

  @Test func rejectsAResponseWithTooManyNodes() async throws {
    let many = Array(repeating: "5", count: 10_000).joined(separator: ",")
    let (error, calls) = try await fault(of: #"{"relationships":[[\#(many)]]}"#)
    #expect(error?.code == .invalidResponse && error?.underlying?.isBeyondBounds == true)
    #expect(calls == 1)
  }

  @Test func ignoresANumberWithDecimalsThatIsNotDecoded() async throws {
    let (error, _) = try await fault(of: #"{"relationships":[],"score":0.75,"seen":1e400}"#)
    #expect(error == nil)
  }

  @Test func bytesAreBoundedByMethod() async throws {
    let transport = ScriptedTransport { _ in TransportResponse(#"{"relationships":[]}"#) }
    let parameters = Relationships.Parameters(actor: .did(Accounts.did(0)), others: [.did(Accounts.did(1))])
    let client = try client(transport)
    _ = try await client.query(Relationships.self, parameters)
    let request = XRPCRequest(method: Relationships.nsid, verb: .get)
    _ = try await client.perform(request, repeatable: true)
    let usual = client.configuration.limits.responseBytes
    let bound = Relationships.answerBounds.bytes
    #expect(transport.requests.map(\.limits.responseBytes) == [bound, usual])
    #expect(bound < usual)
  }

  @Test func aPageMayHaveFourTimesItsLimit() {
    let bounds = App.Bsky.Graph.GetFollows.answerBounds
    #expect(bounds.json(for: [XRPCQueryItem("limit", "100")]).elements == 400)
    #expect(bounds.json(for: []).elements == 200)
  }

  /// No response, except to `kith xrpc`, may use more than a fraction of the allowed bytes.
  @Test func boundsAreFarBelowTheLargestAnswer() {
    #expect(BoundedMethods.bytes.count > 30)
    for (name, bytes) in BoundedMethods.bytes { #expect((64 << 10)...(2 << 20) ~= bytes, "\(name)") }
  }

  /// Finds the generated types of all methods in the sources that make calls.
  @Test func everyMethodThatKithCallsHasABoundAndNoOther() throws {
    // Names inside names: `Graph.GetList` of `App.Bsky.Graph.GetList.nsid`.
    var pairs: Set<String> = []
    for target in [
      "KithClient", "KithRelationships", "KithPosts", "KithWriting", "KithStore", "KithOperations", "kith",
    ] {
      let files = FileManager.default.enumerator(
        at: Self.repository.appending(path: "Sources/\(target)"), includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "swift" else { continue }
        let words = try Data(contentsOf: file).split { !Self.isOfAName($0) }
        for word in Set(words) {
          let names = String(decoding: word, as: UTF8.self).split(separator: ".")
          for (outer, inner) in zip(names, names.dropFirst()) { pairs.insert("\(outer).\(inner)") }
        }
      }
    }
    let called = try Self.methods.filter { method in
      let names = method.split(separator: ".").suffix(2).map { $0.prefix(1).uppercased() + $0.dropFirst() }
      return pairs.contains(names.joined(separator: "."))
    }
    // Its answer is a file, bounded by the size that the record names.
    let file = "com.atproto.sync.getBlob"
    #expect(called.contains(file))
    #expect(called.filter { $0 != file }.sorted() == BoundedMethods.names)
  }

  private static func isOfAName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."):
      true
    default: false
    }
  }

  private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The names of all queries and procedures with a lexicon in this package.
  private static var methods: [String] {
    get throws {
      struct Document: Decodable {
        struct Definition: Decodable { let type: String }
        let id: String
        let defs: [String: Definition]
      }
      var names: [String] = []
      let files = FileManager.default.enumerator(
        at: repository.appending(path: "Lexicons"), includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "json" else { continue }
        let document = try JSONDecoder().decode(Document.self, from: try Data(contentsOf: file))
        if ["query", "procedure"].contains(document.defs["main"]?.type) { names.append(document.id) }
      }
      #expect(names.count > 30)
      return names
    }
  }

  @Test(arguments: [Int.max, Int.max / 2, Int.min])
  func anyLimitOfAnAppHasABound(limit: Int) {
    let bounds = AnswerBounds(bytes: 1, nodes: 1, list: .page)
    #expect(bounds.json(for: [XRPCQueryItem("limit", "\(limit)")]).elements == .max)
  }
}
