// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Testing

@testable import KithCurlTransport

@Suite struct ResponseHeadTests {
  func parse(_ text: String) -> HTTPResponse? { HTTPResponse(head: Array(text.utf8)) }

  @Test func readsStatusLinesOfBothVersions() {
    #expect(parse("HTTP/1.1 200 OK\r\n")?.status == .init(code: 200, reasonPhrase: "OK"))
    #expect(parse("HTTP/2 429 \r\n")?.status == .init(code: 429, reasonPhrase: ""))
    #expect(parse("HTTP/1.0 500\n")?.status == .init(code: 500, reasonPhrase: ""))
  }

  @Test func trimsValuesAndKeepsRepeatedFields() {
    let fields = parse("HTTP/2 200\r\nvary: a\r\nVary: \t b \r\netag:\r\n")?.headerFields
    #expect(fields?[values: .vary] == ["a", "b"])
    #expect(fields?[.eTag] == "")
  }

  @Test func joinsFoldedLines() {
    let fields = parse("HTTP/1.1 200 OK\r\nServer: a\r\n  b\r\n\tc\r\nEtag: d\r\n e\r\n")?.headerFields
    #expect(fields?[.server] == "a b c")
    #expect(fields?[.eTag] == "d e")
  }

  @Test(arguments: [
    ("Content-Length: 2", true), ("Content-Length: 2, 2", true),
    ("Content-Length: 2\r\ncontent-length: 2", true),
    ("Etag: 2", true), ("Content-Length: 9223372036854775807", true),
    ("Content-Length: 9223372036854775808", false), ("Content-Length: 18446744073709551615", false),
    ("Content-Length: 2, 3", false), ("Content-Length: -1", false), ("Content-Length: many", false),
    ("Transfer-Encoding: chunked\r\nContent-Length: 18446744073709551615", true),
  ])
  func knowsWhichLengthsCanBeRead(fields: String, isReadable: Bool) {
    #expect(parse("HTTP/1.1 200 OK\r\n\(fields)\r\n")?.hasReadableLength == isReadable)
  }

  @Test(arguments: [
    "", "HTTP/1.1\r\n", "HTTP/1.1 99 x\r\n", "HTTP/1.1 2000 x\r\n", "HTTP/1.1 abc x\r\n",
    "FTP/1.1 200 OK\r\n",
    "HTTP/1.1 200 OK\r\nno colon\r\n", "HTTP/1.1 200 OK\r\n: x\r\n", "HTTP/1.1 200 OK\r\na b: x\r\n",
    "HTTP/1.1 200 OK\r\n folded first\r\n",
  ])
  func rejectsWhatIsNotAHead(text: String) {
    #expect(parse(text) == nil)
  }
}
