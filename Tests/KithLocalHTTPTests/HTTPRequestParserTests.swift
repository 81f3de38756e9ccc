// SPDX-License-Identifier: Apache-2.0

import KithLocalMessages
import TestSupport
import Testing

@testable import KithLocalHTTP

@Suite struct HTTPRequestParserTests {
  private func requests(_ pieces: [ArraySlice<UInt8>]) throws -> [LocalRequest] {
    var parser = HTTPRequestParser()
    var requests: [LocalRequest] = []
    for piece in pieces {
      parser.received(Array(piece))
      while let request = try parser.next() { requests.append(request) }
    }
    return requests
  }

  @Test func findsRequestsInChunksOfAnySize() throws {
    let text = """
      GET /a%20b?x=1&y HTTP/1.1\r\nHost: alice.test:80\r\nAccept:*/*\r\n\r\n\
      POST /c HTTP/1.1\r\ncontent-length: 7\r\n\r\n1234\r\n\n\
      GET / HTTP/1.0\nConnection: keep-alive\n\n\
      GET /d HTTP/1.1\r\nConnection: close\r\n\r\n
      """
    func field(_ name: String, _ value: String) -> HeaderField { HeaderField(name: name, value: value) }
    let expected = [
      LocalRequest(
        path: "/a%20b", query: "x=1&y", fields: [field("Host", "alice.test:80"), field("Accept", "*/*")]),
      LocalRequest(
        method: "POST", path: "/c", fields: [field("content-length", "7")], body: Array("1234\r\n\n".utf8)),
      LocalRequest(path: "/", fields: [field("Connection", "keep-alive")], keepsAlive: false),
      LocalRequest(path: "/d", fields: [field("Connection", "close")], keepsAlive: false),
    ]
    let bytes = Array(text.utf8)
    for cut in 0...bytes.count {
      #expect(try requests([bytes[..<cut], bytes[cut...]]) == expected)
    }
    #expect(try requests(bytes.indices.map { bytes[$0...$0] }) == expected)
  }

  @Test(arguments: [
    "\r\n\r\n", "GET\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/2\r\n\r\n", "GET / HTTP/1.1 x\r\n\r\n",
    "GET / HTTP/1.1\r\nnonsense\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
    "GET / HTTP/1.1\r\nContent-Length: ten\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n",
    "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", "GET x HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", "GET / HTTP/1.1\r\nContent-Length:\r\n\r\n",
    "POST / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
    "GET / HTTP/1.1\r\nContent-Length : 1\r\n\r\n", "GET / HTTP/1.1\r\n continued: 1\r\n\r\n",
    "GET / HTTP/1.1\r\na: b\u{0}\r\n\r\n", "GET / HTTP/1.1\r\na: b\rc\r\n\r\n",
  ])
  func refusesInvalidRequests(text: String) {
    #expect(throws: RequestFault.self) { try requests([Array(text.utf8)[...]]) }
  }

  @Test func fieldsAreFoundInAnyCase() throws {
    let text = "POST /x HTTP/1.1\r\nAUTHORIZATION:  Bearer a.b\t \r\nContent-Length: 2\r\n\r\n{}"
    let request = try #require(try requests([Array(text.utf8)[...]]).first)
    #expect(request["authorization"] == "Bearer a.b" && request.body == Array("{}".utf8))
  }

  @Test func aValueMayHaveAnyText() throws {
    let request = try #require(
      try requests([Array("GET / HTTP/1.1\r\na:  b\u{2028}\u{85}é:c\t\r\n\r\n".utf8)[...]]).first)
    #expect(request["A"] == "b\u{2028}\u{85}é:c" && request["b"] == nil)
  }

  @Test func refusesMoreThanTheLimits() throws {
    func status(_ text: String) -> Int? {
      #expect(throws: RequestFault.self) { try requests([Array(text.utf8)[...]]) }?.status
    }
    #expect(status(String(repeating: "a", count: 200_000)) == 431)
    #expect(status("GET / HTTP/1.1\r\na: \(String(repeating: "a", count: 200_000))\r\n\r\n") == 431)
    let fields = { (count: Int) in "GET / HTTP/1.1\r\n\(String(repeating: "a: b\r\n", count: count))\r\n" }
    #expect(try requests([Array(fields(100).utf8)[...]]).first?.fields.count == 100)
    #expect(status(fields(101)) == 431)
    #expect(status("POST / HTTP/1.1\r\nContent-Length: 2097153\r\n\r\n") == 413)
    #expect(status("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n\r\n") == 413)
  }

  /// Pieces of requests in any order: some are requests, others are refused, none crashes.
  @Test func readsAnyBytesAlikeInChunksOfAnySize() {
    var random = SeededGenerator(seed: 1)
    let pieces = [
      "GET / HTTP/1.1\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n", "GET / HTTP/1.1\r\n", "\r\n",
      "\n", "a:b", "GET", " ", ":", "\u{0}", "é", "/",
    ]
    var (requestCount, refusalCount) = (0, 0)
    for _ in 0..<2_000 {
      let text = (0..<Int.random(in: 0..<9, using: &random)).map { _ in
        pieces[Int.random(in: pieces.indices, using: &random)]
      }.joined()
      let bytes = Array(text.utf8)
      let whole = Result { try requests([bytes[...]]) }
      let cut = Result { try requests(bytes.indices.map { bytes[$0...$0] }) }
      switch (whole, cut) {
      case (.success(let one), .success(let other)):
        #expect(one == other, "\(text.debugDescription)")
        requestCount += one.count
      case (.failure, .failure): refusalCount += 1
      default: Issue.record("\(text.debugDescription) is read only when it comes in another way")
      }
    }
    #expect(requestCount > 100)
    #expect(refusalCount > 100)
  }
}
