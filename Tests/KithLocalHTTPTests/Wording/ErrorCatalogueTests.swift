// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KithLocalHTTP

/// The sentences of this module's errors, in `errors.txt` (`make wording` writes it).
@Suite struct ErrorCatalogueTests {
  @Test func holdsEverySentence() throws {
    var catalogue = WordingCatalogue(beside: #filePath)
    for code in LocalHTTPError.Code.allCases {
      catalogue.add(
        "localHTTP.\(code)", LocalHTTPError(code, address: "127.0.0.1:80", reason: "Permission denied"))
    }
    for text in [
      "GET", "GET / HTTP/1.1\r\na", "GET / HTTP/1.1\r\na: \u{0}", "GET / HTTP/1.1\r\nContent-Length: x",
      "GET / HTTP/1.1\r\nContent-Length: 99999999", "GET / HTTP/1.1\r\nTransfer-Encoding: chunked",
      "GET / HTTP/1.1" + String(repeating: "\r\na: b", count: 101), String(repeating: "a", count: 200_000),
    ] {
      var parser = HTTPRequestParser()
      parser.received(Array((text + "\r\n\r\n").utf8))
      let fault = #expect(throws: RequestFault.self) { try parser.next() }
      catalogue.add("request.\(fault?.status ?? 0)", fault?.reason ?? "")
    }
    var parser = HTTPRequestParser()
    parser.received([0xff] + Array("\r\n\r\n".utf8))
    let fault = #expect(throws: RequestFault.self) { try parser.next() }
    catalogue.add("request.\(fault?.status ?? 0)", fault?.reason ?? "")
    #expect(try catalogue.differences() == [])
  }
}
