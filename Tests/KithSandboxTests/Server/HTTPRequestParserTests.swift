// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KithSandbox

@Suite struct HTTPRequestParserTests {
  private func requests(_ pieces: [ArraySlice<UInt8>]) throws -> [HTTPRequest] {
    var parser = HTTPRequestParser()
    var requests: [HTTPRequest] = []
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
    let expected = [
      HTTPRequest(path: "/a%20b", query: "x=1&y", host: "alice.test:80"),
      HTTPRequest(method: "POST", path: "/c", body: Array("1234\r\n\n".utf8)),
      HTTPRequest(path: "/", keepsAlive: false),
      HTTPRequest(path: "/d", keepsAlive: false),
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
    "GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n",
  ])
  func refusesInvalidRequests(text: String) {
    #expect(throws: XRPCFault.self) { try requests([Array(text.utf8)[...]]) }
  }

  @Test func refusesAHeadWithoutEnd() {
    #expect(throws: XRPCFault.self) {
      try requests([Array(repeating: UInt8(ascii: "a"), count: 200_000)[...]])
    }
  }

  /// Pieces of requests in any order: some are requests, others are refused, none crashes.
  @Test func readsAnyBytesAlikeInChunksOfAnySize() {
    var random = SplitMix64(seed: 1)
    let pieces = [
      "GET / HTTP/1.1\r\n\r\n", "POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n", "GET / HTTP/1.1\r\n", "\r\n",
      "\n", "a:b", "GET", " ", ":", "\u{0}", "é", "/",
    ]
    var (requestCount, refusalCount) = (0, 0)
    for _ in 0..<2_000 {
      let text = (0..<random.next(below: 9)).map { _ in pieces[random.next(below: pieces.count)] }.joined()
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
