// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Foundation
import TestSupport
import Testing

@testable import kith

/// A run of `kith check` about thirty targets, one call, named by DID so that nothing but relationships is asked
/// for. In truth the actor follows all of them.
///
/// The targets come over a stdin that stays open until all rows are there: so the process lives on, and its
/// peak of memory can be read. (`wait4` would tell that of the process that started it, too.)
struct HostileRun {
  private struct Row: Decodable {
    let target: String?
    let state: String
    let following: String?
    let error: String?

    func isFault(at path: String) -> Bool {
      state == "error" && following == nil && error?.hasPrefix(method) == true
        && (path.isEmpty || error?.contains(path) == true)
    }
  }

  static let actor = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa"
  static let stranger = "did:plc:zzzzzzzzzzzzzzzzzzzzzzzz"
  static let targets = "abcdefghijklmnopqrstuvwxyz2345".map { "did:plc:bbbbbbbbbbbbbbbbbbbbbbb\($0)" }
  private static let method = "app.bsky.graph.getRelationships"
  /// What a run takes at the very most; an answer of sixteen mebibytes is allowed, of which a hundred were seen,
  /// more or less with the threads that happen to allocate. A sanitizer keeps books of its own about each byte.
  private static let mostMebibytes =
    ProcessInfo.processInfo.environment["KITH_SANITIZER"] == nil ? 150 : 1_000

  let status: Int32
  private let messages: [KithMessage]
  private let rows: [Row]
  /// The most memory that it had at a time, in mebibytes, up to the last row.
  private let peak: Int

  /// Checks the targets against a server.
  init(_ server: HostileServer) async throws {
    let (input, output, talk) = (Stream.input(), Stream.output(), Stream.output())
    let kith = try RunningKith(
      ["check", Self.actor, "-", "--format", "ndjson", "--appview", server.url],
      environment: ["KITH_MESSAGES": "json"],
      streams: [input.far, output.far, talk.far])
    for stream in [input, output, talk] { close(stream.far) }
    async let said = talk.readAll()
    await input.write(Self.targets.joined(separator: "\n") + "\n")
    var text = ""
    while text.utf8.count(where: { $0 == UInt8(ascii: "\n") }) < Self.targets.count {
      let piece = await output.read()
      guard !piece.isEmpty else { break }
      text += piece
    }
    peak = kith.peakMebibytes ?? .max
    close(input.near)
    text += await output.readAll()
    status = await kith.status()
    messages = try KithMessage.all(in: await said)
    for stream in [output, talk] { close(stream.near) }
    rows = try text.split(separator: "\n").map { try JSONDecoder().decode(Row.self, from: Data($0.utf8)) }
    withExtendedLifetime(server) {}
  }

  /// Checks the targets against a server that answers each call with a body.
  init(body: String, fields: String = "") async throws {
    try await self.init(bytes: Array(body.utf8), fields: fields)
  }

  init(bytes: [UInt8], fields: String = "") async throws {
    try await self.init(HostileServer { _, connection in connection.answer(bytes, fields: fields) })
  }

  /// The right row about a target.
  static func row(_ number: Int) -> String {
    """
    {"$type":"app.bsky.graph.defs#relationship","did":"\(targets[number])","following":"\(edge(number))"}
    """
  }

  static func edge(_ number: Int) -> String { "at://\(actor)/app.bsky.graph.follow/3k\(number)" }

  static var rows: [String] { targets.indices.map(row) }

  /// An answer with these rows.
  static func body(_ rows: [String] = rows, more: String = "") -> String {
    "{\"actor\":\"\(actor)\",\"relationships\":[\(rows.joined(separator: ","))]\(more)}"
  }

  /// An answer of which only the first row is not right.
  static func body(first: String) -> String { body([first] + rows.dropFirst()) }

  /// Expects that nothing was learned: each row is a fault that names the method and the place.
  ///
  /// - Parameters:
  ///   - cause: the code of what lies underneath; nil where the answer is sound and says what was not asked.
  ///   - path: where in the answer, or what that begins with.
  func expectNothing(
    _ cause: String?, at path: String = "", status: Int32 = 76, _ place: SourceLocation = #_sourceLocation
  ) {
    expectOrder(status, place)
    let wrong = rows.first { !$0.isFault(at: path) }
    #expect(wrong == nil, sourceLocation: place)
    expectFault(of: rows.count, cause, at: path, place)
  }

  /// Expects that all rows are right but the first, which names the method and the place.
  func expectOnlyFirstFails(at path: String, _ place: SourceLocation = #_sourceLocation) {
    expectOrder(76, place)
    #expect(rows.first?.isFault(at: path) == true, "\(String(describing: rows.first))", sourceLocation: place)
    expectFault(of: 1, nil, at: path, place)
    let wrong = rows.enumerated().dropFirst().first { number, row in
      row.state != "known" || row.following != Self.edge(number)
    }
    #expect(wrong == nil, sourceLocation: place)
  }

  /// Expects a row for each target in its place, bounded memory, and harmless talk.
  private func expectOrder(_ status: Int32, _ place: SourceLocation) {
    #expect(self.status == status, "\(messages)", sourceLocation: place)
    #expect(rows.map(\.target) == Self.targets, "\(rows.count) rows", sourceLocation: place)
    #expect(peak < Self.mostMebibytes, sourceLocation: place)
    let text = messages.map(\.text).joined()
    #expect(text.utf8.count < 4_096, "\(text)", sourceLocation: place)
    #expect(
      !text.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7f }, "\(text)", sourceLocation: place)
  }

  /// Expects the message of so many rows that were not learned.
  private func expectFault(of count: Int, _ cause: String?, at path: String, _ place: SourceLocation) {
    let message = messages.first { $0.code == "lookupsFailed" }
    #expect(message?.number("count") == Int64(count), "\(messages)", sourceLocation: place)
    let first = message?["first"]
    if cause == nil { #expect(first?["code"] == "relationship.invalidResponse", sourceLocation: place) }
    #expect(first?["cause"]?.string == cause, "\(messages)", sourceLocation: place)
    let found = first?["path"]?.string ?? ""
    #expect(found.hasPrefix(path), "\(messages)", sourceLocation: place)
  }
}
