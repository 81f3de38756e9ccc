// SPDX-License-Identifier: Apache-2.0

import KithLocalMessages
import Testing

/// Forms with files, as browsers and others send them.
@Suite(.timeLimit(.minutes(1))) struct MultipartFormTests {
  private static let type = "multipart/form-data; boundary=----WebKitFormBoundaryAb3"

  /// A body with a boundary for `--B`.
  private func body(_ text: String) -> [UInt8] {
    Array(text.replacing("\n", with: "\r\n").replacing("--B", with: "------WebKitFormBoundaryAb3").utf8)
  }

  private func form(_ text: String, type: String = type) throws -> MultipartForm {
    try MultipartForm(body(text), type: type)
  }

  private func text(_ name: String, _ value: String) -> String {
    "--B\nContent-Disposition: form-data; name=\"\(name)\"\n\n\(value)\n"
  }

  @Test func readsTextsAndFiles() throws {
    let file =
      "--B\nContent-Disposition: form-data; name=\"avatar\"; filename=\"m\u{E9}.png\"\nContent-Type: image/png\n\n"
    let read = try form(
      text("token", "abc") + text("bio", "one\n\nä --\n--b") + file + "\u{1}\n\n\u{2}\n--B--\n")
    #expect(read.texts["token"] == "abc" && read.texts["bio"] == "one\r\n\r\nä --\r\n--b")
    #expect(read.files == ["avatar": Array("\u{1}\r\n\r\n\u{2}".utf8)])
  }

  @Test func bytesOfFilesStayAsTheyAre() throws {
    let bytes = (0...255).map { UInt8($0) } + Array("\r\n------WebKitFormBoundaryAb\r\n--\r".utf8)
    let head = "--B\ncontent-disposition:form-data; filename=\"x\"; name=\"f\"\n\n"
    let read = try MultipartForm(body(head) + bytes + body("\n--B--"), type: Self.type)
    #expect(read.files["f"] == bytes)
  }

  @Test func aFieldWithoutAFileIsNotThere() throws {
    let none =
      "--B\nContent-Disposition: form-data; name=\"avatar\"; filename=\"\"\nContent-Type: application/octet-stream\n\n\n"
    let read = try form(none + text("empty", "") + "--B--\n")
    #expect(read.files.isEmpty && read.texts["empty"] == "" && read.texts["avatar"] == nil)
  }

  @Test func theFirstOfTwoCounts() throws {
    let read = try form(text("a", "1") + text("a", "2") + "--B--")
    #expect(read.texts["a"] == "1" && read.texts.all("a") == ["1", "2"])
  }

  @Test func aFileNameMayBeginWithACombiningMark() throws {
    let read = try form(
      "--B\nContent-Disposition: form-data; name=\"f\"; filename=\"\u{308}\u{301}.png\"\n\nx\n--B--\n")
    #expect(read.files["f"] == [0x78])
  }

  @Test func aFormWithoutFieldsIsOne() throws {
    #expect(try form("--B--\n").texts.items.isEmpty)
  }

  @Test(arguments: [
    "", "multipart/form-data", "multipart/form-data; boundary=", "multipart/form-data; boundary=a\u{0}b",
    "multipart/form-data; boundary=a; boundary=b", "multipart/form-data; boundary=\"a ",
    "multipart/form-data; boundary=\(String(repeating: "a", count: 71))",
  ])
  func aBoundaryThatCannotBeIsRefused(type: String) {
    #expect(throws: MultipartForm.Fault.invalidBoundary) { try form(text("a", "1") + "--B--", type: type) }
  }

  @Test func aBoundaryMayStandInQuotes() throws {
    let type = "multipart/form-data; charset=utf-8; Boundary=\"----WebKitFormBoundaryAb3\""
    #expect(try form(text("a", "1") + "--B--", type: type).texts["a"] == "1")
  }

  /// Each shorter body is one that was cut off.
  @Test func aBodyThatIsCutOffIsRefusedAtEachPlace() throws {
    let whole = body(
      text("token", "abc") + "--B\nContent-Disposition: form-data; name=\"f\"; filename=\"x\"\n\n123\n--B--")
    #expect(try MultipartForm(whole, type: Self.type).files["f"] == Array("123".utf8))
    for length in 0..<whole.count {
      #expect(throws: MultipartForm.Fault.self, "\(length)") {
        try MultipartForm(Array(whole.prefix(length)), type: Self.type)
      }
    }
  }

  @Test(arguments: [
    ("x\n--B--", MultipartForm.Fault.wrongEnd), ("--B--more", .wrongEnd), ("--B--\nmore", .wrongEnd),
    ("--Bx\n--B--", .invalidPart), ("--B\n\nx\n--B--", .invalidPart),
    ("--B\nContent-Type: text/plain\n\nx\n--B--", .invalidPart),
    ("--B\nContent-Disposition: form-data\n\nx\n--B--", .invalidPart),
    ("--B\nContent-Disposition: form-data; name=\"\"\n\nx\n--B--", .invalidPart),
    ("--B\nContent-Disposition: form-data; name=a\n\nx\n--B--", .invalidPart),
    ("--B\nContent-Disposition: form-data; name=\"a\n\nx\n--B--", .invalidPart),
    ("--B\nContent-Disposition: form-data; name=\"a\"x\n\nx\n--B--", .invalidPart),
    ("--B\nContent-Disposition: form-data; name=\"a\"; name=\"b\"\n\nx\n--B--", .invalidPart),
    ("--B\nContent-Disposition: attachment; name=\"a\"\n\nx\n--B--", .invalidPart),
    (
      "--B\nContent-Disposition: form-data; name=\"a\"\nContent-Disposition: form-data; name=\"b\"\n\nx\n--B--",
      .invalidPart
    ),
  ])
  func whatIsNotAFormIsRefused(body: String, fault: MultipartForm.Fault) {
    #expect(throws: fault) { try form(body) }
  }

  @Test func textsAreUTF8() {
    let head = "--B\nContent-Disposition: form-data; name=\"a\"\n\n"
    #expect(throws: MultipartForm.Fault.notUTF8) {
      try MultipartForm(body(head) + [0xFF, 0xFE] + body("\n--B--"), type: Self.type)
    }
    #expect(throws: MultipartForm.Fault.notUTF8) {
      try MultipartForm(
        body("--B\nContent-Disposition: form-data; name=\"") + [0xC3] + body("\"\n\nx\n--B--"),
        type: Self.type)
    }
  }

  @Test func headsAndPartsHaveALimit() {
    let parts = (0...MultipartForm.mostParts).map { text("p\($0)", "x") }.joined()
    #expect(throws: MultipartForm.Fault.tooManyParts) { try form(parts + "--B--") }
    let head = String(repeating: "X-A: b\n", count: 1_000)
    #expect(throws: MultipartForm.Fault.invalidPart) {
      try form("--B\n\(head)Content-Disposition: form-data; name=\"a\"\n\nx\n--B--")
    }
  }

  /// Beginnings of boundaries everywhere do not make it slow.
  @Test func aHostileBodyIsReadInOnePass() throws {
    let content = String(repeating: "\r\n------WebKitFormBoundaryAb", count: 20_000)
    #expect(throws: MultipartForm.Fault.wrongEnd) { try form(text("a", "1") + "--B\n\(content)") }
    let read = try form(text("a", "1\(content)") + "--B--")
    #expect(read.texts["a"]?.utf8.count == 1 + content.utf8.count)
  }
}
