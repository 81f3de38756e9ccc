// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import KithCore

@Suite struct CodedErrorTests {
  private struct Wrapping: CodedError {
    static let domain = "test"
    let code = InvalidValueCode.invalid
    var subject = ""
    var detail = "it did not work"
    let underlying: (any Error)?
  }

  private struct Passing: CodedError {
    static let domain = "test"
    let code = InvalidValueCode.invalid
    let detail = "it may pass"
    let isTransient = true
    let isOffline = true
  }

  @Test func isTransientAndOfflineAsItsCause() {
    let wrapped = Wrapping(underlying: Wrapping(underlying: Passing()))
    #expect(wrapped.isTransient && wrapped.isOffline)
    for cause in [nil, CancellationError(), Wrapping(underlying: nil)] as [(any Error)?] {
      let error = Wrapping(underlying: cause)
      #expect(!error.isTransient && !error.isOffline)
    }
  }

  @Test func makesItsDescriptionASentence() {
    let error: any Error = Wrapping(detail: "failed", underlying: nil)
    #expect(error.localizedDescription == "Failed.")
    #expect(Wrapping(detail: "failed?", underlying: nil).errorDescription == "Failed?")
    // The name of a file or an account is not capitalized.
    let ofFile = Wrapping(subject: "a.csv", detail: "failed", underlying: nil)
    #expect(ofFile.errorDescription == "\(ofFile).")
  }

  @Test func saysWhatParsersFoundInASentence() throws {
    let syntax = try #require(throws: SyntaxError.self) { try Handle(parsing: "alice..test") }
    #expect(faultySentences([syntax]) == [])
    #expect(syntax.errorDescription?.contains(syntax.reason) == true)
    let invalid = ValidationError(path: "text", reason: "31 elements, at most 30 allowed")
    #expect(invalid.description == "\(invalid.path): \(invalid.reason)")
    let whole = ValidationError(path: "", reason: invalid.reason)
    #expect(whole.description == whole.reason)
  }

  @Test func differsInTheTextAndThePlaceOfAFault() {
    let error = SyntaxError("DID", "a segment is empty", at: 4, in: "did::a")
    #expect(error == SyntaxError("DID", "a segment is empty", at: 4, in: "did::a"))
    #expect(error != SyntaxError("DID", "a segment is empty", at: 4, in: "did::b"))
    #expect(error != SyntaxError("DID", "a segment is empty", at: 5, in: "did::a"))
    #expect(error != SyntaxError("handle", "a segment is empty", at: 4, in: "did::a"))
  }

  @Test func roundsAWaitUp() {
    #expect(String.tooManyRequests(.milliseconds(2_100)) == "Too many requests; try again in 3 s.")
    #expect(String.tooManyRequests(nil) == "Too many requests; try again later.")
    #expect(Duration.seconds(121).roundedUp == "3 min" && Duration.seconds(7_201).roundedUp == "3 h")
  }
}
