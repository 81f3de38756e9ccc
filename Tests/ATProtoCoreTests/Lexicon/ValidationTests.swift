// SPDX-License-Identifier: Apache-2.0

import ATProtoCore
import Testing

@Suite struct ValidationTests {
  @Test func countsBytesAndGraphemesApart() throws {
    let family = "👩‍👩‍👦‍👦"
    try Validation.graphemes(family, at: "a", max: 1)
    try Validation.length(family, at: "a", max: 25)
    #expect(throws: ValidationError(path: "a", reason: "25 bytes, 24 are allowed")) {
      try Validation.length(family, at: "a", max: 24)
    }
    #expect(throws: ValidationError(path: "a", reason: "2 graphemes, 1 are allowed")) {
      try Validation.graphemes(family + "é", at: "a", max: 1)
    }
    #expect(throws: ValidationError(path: "a", reason: "1 graphemes, 2 are needed")) {
      try Validation.graphemes("é", at: "a", min: 2)
    }
  }

  @Test func whatIsAbsentPasses() throws {
    try Validation.length(nil, at: "a", min: 1)
    try Validation.graphemes(nil, at: "a", min: 1)
    try Validation.count([Int]?.none, at: "a", min: 1)
    try Validation.size(nil, at: "a", min: 1)
    try Validation.range(nil, at: "a", min: 1)
    try Validation.choice(nil, at: "a", among: [1])
    try Validation.constant(Bool?.none, at: "a", is: true)
    try Validation.blob(nil, at: "a", accept: ["image/png"], maxSize: 1)
    try Validation.object(nil, at: "a")
    try Validation.value(Limited?.none, at: "a")
    try Validation.values([Limited]?.none, at: "a")
  }

  @Test(arguments: [(0, "0, it must be at least 1"), (101, "101, it must be at most 100")])
  func boundsNumbers(number: Int, reason: String) throws {
    try Validation.range(1, at: "limit", min: 1, max: 100)
    try Validation.range(100, at: "limit", min: 1, max: 100)
    #expect(throws: ValidationError(path: "limit", reason: reason)) {
      try Validation.range(number, at: "limit", min: 1, max: 100)
    }
  }

  @Test func refusesOtherChoicesAndConstants() throws {
    try Validation.choice(2, at: "a", among: [1, 2])
    try Validation.constant("x", at: "a", is: "x")
    #expect(throws: ValidationError(path: "a", reason: "3, it must be one of [1, 2]")) {
      try Validation.choice(3, at: "a", among: [1, 2])
    }
    #expect(throws: ValidationError(path: "a", reason: "y, it must be x")) {
      try Validation.constant("y", at: "a", is: "x")
    }
  }

  @Test(arguments: [["image/*"], ["image/png"], ["*/*"], [], ["text/plain", "image/*"]])
  func acceptsBlobsByType(accept: [String]) throws {
    try Validation.blob(try blob(size: 10), at: "avatar", accept: accept)
  }

  @Test(arguments: [["image/jpeg"], ["video/*"], ["imag/*"], ["text/plain", "image"]])
  func refusesBlobsOfOtherTypes(accept: [String]) throws {
    let blob = try blob(size: 10)
    let reason = "a blob of image/png, only \(accept.joined(separator: ", ")) is allowed"
    #expect(throws: ValidationError(path: "avatar", reason: reason)) {
      try Validation.blob(blob, at: "avatar", accept: accept)
    }
  }

  @Test func boundsTheSizeOfBlobs() throws {
    try Validation.blob(try blob(size: 10), at: "avatar", maxSize: 10)
    try Validation.blob(try blob(size: nil), at: "avatar", maxSize: 10)
    let large = try blob(size: 11)
    #expect(throws: ValidationError(path: "avatar", reason: "a blob of 11 bytes, 10 are allowed")) {
      try Validation.blob(large, at: "avatar", maxSize: 10)
    }
  }

  private func blob(size: Int?) throws -> Blob {
    let cid = try CID(parsing: "bafyreiclp443lavogvhj3d2ob2cxbfuscni2k5jk7bebjzg7khl3esabwq")
    return Blob(ref: cid, mimeType: "image/png", size: size)
  }

  @Test(arguments: [nil, true, 1, "a", [], ["$type": "blob"]] as [DataValue])
  func refusesOpenValuesThatAreNoObject(value: DataValue) {
    #expect(throws: ValidationError(path: "record", reason: "it must be an object")) {
      try Validation.object(value, at: "record")
    }
  }

  @Test func acceptsOpenValuesThatAreObjects() throws {
    try Validation.object([:], at: "record")
    try Validation.object(["$type": "com.example.record"], at: "record")
  }

  @Test func namesTheWayToTheFault() {
    let good = Limited(text: "a")
    let bad = Limited(text: "abcd")
    #expect(throws: ValidationError(path: "subject.text", reason: "4 bytes, 3 are allowed")) {
      try Validation.value(bad, at: "subject")
    }
    #expect(throws: ValidationError(path: "subjects[1].text", reason: "4 bytes, 3 are allowed")) {
      try Validation.values([good, bad], at: "subjects")
    }
    #expect(throws: ValidationError(path: "rows[1][0]", reason: "4 bytes, 3 are allowed")) {
      try Validation.each([["a"], ["abcd"]], at: "rows") { (row) throws(ValidationError) in
        try Validation.each(row, at: "") { (text) throws(ValidationError) in
          try Validation.length(text, at: "", max: 3)
        }
      }
    }
  }

  private struct Limited: ConstrainedValue {
    let text: String
    func validate() throws(ValidationError) { try Validation.length(text, at: "text", max: 3) }
  }
}
