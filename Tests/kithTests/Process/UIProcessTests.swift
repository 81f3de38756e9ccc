// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import HTTPTypes
import KithClient
import KithCurlTransport
import TestSupport
import Testing

/// `kith ui` as a process, with its port and its browser.
@Suite(.timeLimit(.minutes(1))) struct UIProcessTests {
  private let user: SignedInRun

  init() async throws { user = try await SignedInRun(at: try await SandboxRun(accounts: 100)) }

  private func run(
    _ arguments: [String], _ more: [String: String]
  ) throws -> (kith: RunningKith, talk: Stream) {
    let (output, talk) = (Stream.output(), Stream.output())
    let environment = user.environment.merging(["KITH_MESSAGES": "json", "KITH_TEST_SPEED": "1"]) { $1 }
    let kith = try RunningKith(
      ["ui"] + arguments, environment: environment.merging(more) { $1 }, streams: [nil, output.far, talk.far])
    for stream in [output, talk] { close(stream.far) }
    return (kith, talk)
  }

  /// A dashboard that has said where it is.
  private func start(
    _ arguments: [String] = ["--no-open"], _ more: [String: String] = [:]
  ) async throws -> (kith: RunningKith, talk: Stream, address: URL) {
    let (kith, talk) = try run(arguments, more)
    return (kith, talk, try await address(in: talk))
  }

  /// The next address that is said.
  private func address(in talk: Stream) async throws -> URL {
    let text = await talk.read()
    let address = try #require(text.firstMatch(of: /http:[^ "]+token=[0-9a-f]{64}/), "\(text)")
    // JSON escapes slashes nowhere, so this is the address as it is opened.
    return try #require(URL(string: String(address.0)))
  }

  private func get(_ url: URL, cookie: String? = nil) async throws -> TransportResponse {
    let query = url.query.map { "?\($0)" } ?? ""
    var head = HTTPRequest(
      method: .get, scheme: "http", authority: "127.0.0.1:\(url.port ?? 0)",
      path: (url.path.isEmpty ? "/" : url.path) + query)
    if let cookie { head.headerFields[.cookie] = cookie }
    let transport = CurlTransport()
    defer { transport.close() }
    return try await transport.send(TransportRequest(head: head))
  }

  @Test func aBrowserEntersOnceAndSeesItsAccount() async throws {
    let (kith, talk, address) = try await start()
    #expect(address.host() == "127.0.0.1" && address.path == "/enter")
    let entered = try await get(address)
    #expect(entered.head.status.code == 200)
    let field = try #require(entered.head.headerFields[.setCookie])
    let cookie = String(try #require(field.split(separator: ";").first))
    let next = try await self.address(in: talk)
    #expect(next != address && next.port == address.port)
    let again = try await get(address)
    #expect(again.head.status.code == 403)
    let page = try #require(URL(string: "http://127.0.0.1:\(address.port ?? 0)/@alice.test"))
    let shown = try await get(page, cookie: cookie)
    #expect(String(decoding: shown.body, as: UTF8.self).contains("<bdi>alice.test</bdi>"))
    #expect(try await get(page).head.status.code == 401)
    kith.interrupt()
    #expect(await kith.status() == 130)
    _ = await talk.readAll()
  }

  /// The file has the address; arguments of a process can be seen by all.
  @Test func theBrowserIsOpenedByAFileThatOnlyTheUserCanRead() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "kith-ui-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (opener, seen) = (folder.appending(path: "xdg-open"), folder.appending(path: "seen"))
    let script = """
      #!/bin/sh
      { echo "$# $*"; stat -c %a "$1"; cat "$1"; env; } > "\(seen.path).new" && mv "\(seen.path).new" "\(seen.path)"
      """
    // By another process: a file that this one has open for writing, or one of the children that it starts meanwhile, cannot be run.
    let writer = Process()
    writer.executableURL = URL(filePath: "/bin/sh")
    writer.arguments = ["-c", #"printf %s "$1" > "$2" && chmod 755 "$2""#, "sh", script, opener.path]
    try writer.run()
    writer.waitUntilExit()
    let (kith, talk, address) = try await start(
      [], ["DISPLAY": ":0", "PATH": "\(folder.path):/usr/bin:/bin", "ATP_AUTH_PASSWORD": "not for others"])
    try await eventually { FileManager.default.fileExists(atPath: seen.path) }
    let text = try String(contentsOf: seen, encoding: .utf8)
    let lines = text.split(separator: "\n")
    let words = lines[0].split(separator: " ")
    #expect(words.count == 2 && words[0] == "1" && words[1].hasPrefix("/") && lines[1] == "600")
    #expect(
      !lines[0].contains("token") && text.contains("url=\(address)") && !text.contains("not for others"))
    let file = String(words[1])
    #expect(FileManager.default.fileExists(atPath: file))
    _ = try await get(address)
    _ = try await self.address(in: talk)
    #expect(!FileManager.default.fileExists(atPath: file), "the address is used up")
    kith.send(SIGTERM)
    #expect(await kith.status() == 143)
    _ = await talk.readAll()
  }

  @Test func aPortThatIsTakenAndAWrongNameAreSaid() async throws {
    let (kith, talk, address) = try await start()
    let second = try await user.kith("ui --no-open --port \(address.port ?? 0)")
    #expect(second.status == 74 && second.talk.contains("\(address.port ?? 0)"))
    for name in ["devbox", "devbox:0", "http://devbox:80", "dev box:80", ":80"] {
      let wrong = try await user.run.kith(
        ["ui", "--no-open", "--host-name", name], environment: user.environment)
      #expect(wrong.status == 64 && wrong.talk.contains(name))
    }
    kith.interrupt()
    #expect(await kith.status() == 130)
    _ = await talk.readAll()
  }

  @Test func itEndsWhenItIsNotUsedForHalfAnHour() async throws {
    let (kith, talk) = try run(["--no-open"], ["KITH_TEST_SPEED": "100000"])
    #expect(await kith.status() == 0)
    #expect(
      try KithMessage.all(in: await talk.readAll()).map(\.code) == ["dashboardAddress", "dashboardEnded"])
  }
}
