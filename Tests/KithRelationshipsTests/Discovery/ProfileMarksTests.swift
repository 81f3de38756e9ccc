// SPDX-License-Identifier: Apache-2.0

import KithCore
import TestSupport
import Testing

@testable import KithRelationships

/// What rows of an AppView say besides names: labels, marks, and how the viewer is related.
@Suite struct ProfileMarksTests {
  private func view(_ members: String) throws -> AccountView {
    let text = #"{"did":"\#(Accounts.did(1))","handle":"a.test"\#(members)}"#
    return try JSONCoding.decode(ProfileWords.self, from: Array(text.utf8)).view()
  }

  private static let record = "at://\(Accounts.did(1))/app.bsky.graph.follow/3jzfcijpj2z2a"

  @Test(
    arguments: [
      ("", .none), (#","following":"\#(record)""#, .following), (#","followedBy":"\#(record)""#, .followedBy),
      (#","following":"\#(record)","followedBy":"\#(record)""#, .mutual),
      (#","blocking":"\#(record)""#, .blocking),
      (#","blockingByList":{"uri":"\#(record)"}"#, .blocking),
      (#","blocking":"\#(record)","following":"\#(record)""#, .blocking),
    ] as [(String, ViewerRelationship.Word)])
  func theStateOfTheViewerIsOneWord(members: String, word: ViewerRelationship.Word) throws {
    let found = try view(#","viewer":{"muted":true,"blockedBy":false\#(members)}"#).relationship
    #expect(found == ViewerRelationship(word, muted: true))
  }

  @Test func aBlockInTheOtherDirectionIsTold() throws {
    let found = try view(#","viewer":{"blockedBy":true,"knownFollowers":{"count":7,"followers":[]}}"#)
    #expect(found.relationship == ViewerRelationship(.blockedBy, knownFollowers: 7))
    #expect(found.relationship?.isBlocked == true)
  }

  /// Unknown is not no.
  @Test(arguments: ["", #","viewer":7"#, #","viewer":{"blockedBy":"yes"}"#])
  func withoutAReadableStateNothingIsKnown(_ members: String) throws {
    #expect(try view(members).relationship == nil)
  }

  @Test func fieldsThatBreakTheLexiconAreIgnored() throws {
    let text = #"""
      {"did":"\#(Accounts.did(1))","handle":7,"displayName":{},"description":[],"createdAt":"yesterday",
      "followersCount":"7","followsCount":null,"postsCount":1.5,"labels":{"0":"spam"},"verification":"valid"}
      """#
    let found = try JSONCoding.decode(ProfileWords.self, from: Array(text.utf8)).view()
    #expect(found == AccountView(Accounts.did(1)).with(AccountMarks()))
  }

  /// The error says what is wrong, as for any other type.
  @Test(
    arguments: [
      (#"{"handle":"a.test"}"#, #""did" is missing in the object at byte 0"#),
      (#"{"did":7}"#, "expected a string, found a number at byte 7"),
      ("[]", "expected an object, found an array at byte 0"),
    ])
  func aProfileWithoutAnAccountIsAFault(_ text: String, reason: String) throws {
    let error = #expect(throws: DecodingError.self) {
      try JSONCoding.decode(ProfileWords.self, from: Array(text.utf8))
    }
    switch error {
    case .keyNotFound(_, let context), .typeMismatch(_, let context):
      #expect(context.debugDescription == reason)
    default: Issue.record("not the fault of the document: \(String(describing: error))")
    }
  }

  @Test func labelsKeepTheirSources() throws {
    let did = Accounts.did(1)
    func label(_ value: String, _ uri: String, _ more: String = "") -> String {
      #"{"src":"\#(Accounts.did(9))","uri":"\#(uri)","val":"\#(value)","cts":"2026-01-01T00:00:00Z"\#(more)}"#
    }
    let labels = [
      label("spam", "\(did)"), label("old", "\(did)", #","neg":true"#),
      label("art", "at://\(did)/app.bsky.actor.profile/self"),
      label("post", "at://\(did)/app.bsky.feed.post/3k"),
      #"{"val":7}"#,
    ].joined(separator: ",")
    let marks = try #require(
      try view(
        #","labels":[\#(labels)],"avatar":"https://cdn.test/a","verification":{"verifiedStatus":"valid"}"#
      )
      .marks)
    #expect(
      marks.labels == [
        AccountMarks.Label("spam", by: Accounts.did(9)),
        AccountMarks.Label("art", by: Accounts.did(9), isOnProfile: true),
      ])
    #expect(marks.hasAvatar && marks.isVerified && !marks.isTrustedVerifier)
    #expect(try view(#","verification":{"verifiedStatus":"invalid"}"#).marks == AccountMarks())
  }
}
