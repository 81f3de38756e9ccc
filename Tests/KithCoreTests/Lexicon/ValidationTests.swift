// SPDX-License-Identifier: Apache-2.0

import KithCore
import Testing

@Suite struct ValidationTests {
  /// Expects that a check reports a fault at a path.
  private func expectInvalid(
    _ path: String, sourceLocation: SourceLocation = #_sourceLocation, _ check: () throws -> Void
  ) {
    let fault = #expect(throws: ValidationError.self, sourceLocation: sourceLocation) { try check() }
    #expect(fault?.path == path, sourceLocation: sourceLocation)
  }

  @Test func countsBytesAndGraphemesApart() throws {
    let family = "👩‍👩‍👦‍👦"
    try Validation.graphemes(family, at: "a", max: 1)
    try Validation.length(family, at: "a", max: 25)
    expectInvalid("a") {
      try Validation.length(family, at: "a", max: 24)
    }
    expectInvalid("a") {
      try Validation.graphemes(family + "é", at: "a", max: 1)
    }
    expectInvalid("a") {
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

  @Test(arguments: [0, 101]) func boundsNumbers(number: Int) throws {
    try Validation.range(1, at: "limit", min: 1, max: 100)
    try Validation.range(100, at: "limit", min: 1, max: 100)
    expectInvalid("limit") {
      try Validation.range(number, at: "limit", min: 1, max: 100)
    }
  }

  @Test func refusesOtherChoicesAndConstants() throws {
    try Validation.choice(2, at: "a", among: [1, 2])
    try Validation.constant("x", at: "a", is: "x")
    expectInvalid("a") {
      try Validation.choice(3, at: "a", among: [1, 2])
    }
    expectInvalid("a") {
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
    expectInvalid("avatar") {
      try Validation.blob(blob, at: "avatar", accept: accept)
    }
  }

  @Test func boundsTheSizeOfBlobs() throws {
    try Validation.blob(try blob(size: 10), at: "avatar", maxSize: 10)
    try Validation.blob(try blob(size: nil), at: "avatar", maxSize: 10)
    let large = try blob(size: 11)
    expectInvalid("avatar") {
      try Validation.blob(large, at: "avatar", maxSize: 10)
    }
  }

  private func blob(size: Int?) throws -> Blob {
    let cid = try CID(parsing: "bafyreiclp443lavogvhj3d2ob2cxbfuscni2k5jk7bebjzg7khl3esabwq")
    return Blob(ref: cid, mimeType: "image/png", size: size)
  }

  @Test(arguments: [nil, true, 1, "a", [], ["$type": "blob"]] as [DataValue])
  func refusesOpenValuesThatAreNoObject(value: DataValue) {
    expectInvalid("record") {
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
    expectInvalid("subject.text") {
      try Validation.value(bad, at: "subject")
    }
    expectInvalid("subjects[1].text") {
      try Validation.values([good, bad], at: "subjects")
    }
    expectInvalid("rows[1][0]") {
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
