// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithLocalMessages
import KithOperations
import KithRelationships
import KithWriting
import SandboxSupport
import TestSupport
import Testing

@testable import KithDashboard

/// The form of one's own profile, as a browser uses it.
@Suite(.timeLimit(.minutes(1))) struct EditProfilePageTests {
  private static let page = "/@alice.test/edit"

  private let network = FaultyNetwork()
  private let user: ServedUser
  private let visitor: Visitor

  init() async throws {
    user = try await ServedUser(on: network)
    visitor = try await Visitor(
      Dashboard(user.workspace(), at: DashboardPlace(port: 4_000)), port: 4_000)
  }

  /// The profile as the server has it.
  private func record() throws -> DataObject {
    try network.records(of: user.did("alice"), in: .profile).first?.value.object ?? [:]
  }

  private func post(
    _ texts: KeyValuePairs<String, String>, files: [String: [UInt8]] = [:]
  ) async -> LocalResponse {
    await visitor.post(Self.page, texts: texts, files: files)
  }

  /// What each form that is refused is: nothing is written, and what was typed is kept.
  private func expectNothing(
    _ response: LocalResponse, _ status: Int, _ words: String, since former: DataObject
  ) throws {
    #expect(response.status == status && response.text.contains(words), "\(response.status) \(response.text)")
    #expect(try record() == former)
  }

  @Test func theFormShowsTheProfileAndItsPictures() async throws {
    let page = await visitor.get(Self.page)
    #expect(page.status == 200 && page.text.contains("enctype=\"multipart/form-data\""))
    let name = try #require(try record()["displayName"]?.string)
    #expect(page.text.contains("name=\"name\"") && page.text.contains("value=\"\(name)\""))
    #expect(page.text.contains("<img class=\"av lg\" src=\"/api/picture?at="))
    #expect(page.text.ranges(of: "type=\"file\"").count == 2)
  }

  @Test func onlyWhatWasChangedIsWritten() async throws {
    let former = try record()
    let answer = await post([
      "name": "Alice & <Co>", "former-name": former["displayName"]?.string ?? "", "bio": "old",
      "former-bio": "old",
    ])
    #expect(answer.status == 303 && answer.location == "\(Self.page)?saved=1", "\(answer.text)")
    let now = try record()
    #expect(now["displayName"] == "Alice & <Co>" && now["description"] == former["description"])
    let page = await visitor.get("\(Self.page)?saved=1")
    #expect(
      page.text.contains("The profile is saved.") && page.text.contains("value=\"Alice &amp; &lt;Co&gt;\""))
    #expect(page.text.contains("action=\"/@alice.test/jobs/1/undo\""))
  }

  @Test func linesAndEmojiStayAsTheyWereTyped() async throws {
    let answer = await post([
      "bio": "\r\none\r\n\r\n👩‍👩‍👧 two ‏", "former-bio": "", "website": "https://example.com",
    ])
    #expect(answer.status == 303, "\(answer.text)")
    #expect(try record()["description"]?.string == "\none\n\n👩‍👩‍👧 two ‏")
    #expect(try record()["website"] == "https://example.com")
    let page = await visitor.get(Self.page)
    #expect(page.text.contains(">\n\none\n\n👩‍👩‍👧 two ‏</textarea>"), "\(page.text)")
  }

  @Test func anEmptyTextRemovesIt() async throws {
    let name = try record()["displayName"]?.string ?? ""
    #expect(await post(["name": "", "former-name": name]).status == 303)
    #expect(try record()["displayName"] == nil)
  }

  @Test(arguments: [
    ("name", String(repeating: "é", count: 65), "65 characters, at most 64 allowed"),
    ("bio", String(repeating: "b", count: 257), "257"),
    ("name", String(repeating: "👩‍👩‍👧‍👦", count: 40), "640"),
    ("pronouns", String(repeating: "p", count: 21), "21 characters"), ("name", "a\u{1B}b", "U+001B"),
    ("website", "example", "Not possible"), ("website", "javascript:alert(1)", "https:// or http://"),
  ])
  func aTextThatCannotBeIsSaidBesideItAndKept(field: String, text: String, words: String) async throws {
    let former = try record()
    let answer = await post([field: text, "former-\(field)": "", "bio": "kept <b>"])
    try expectNothing(answer, 400, words, since: former)
    #expect(answer.text.contains("id=\"\(field)-error\"") && answer.text.contains("aria-invalid=\"true\""))
    #expect(
      answer.text.contains(text) && (field == "bio" || answer.text.contains("kept &lt;b&gt;</textarea>")))
    #expect(try await user.run(ListJobs()).rows.isEmpty)
  }

  @Test func picturesArePublished() async throws {
    let answer = await post(
      [:], files: ["avatar": PictureSamples.png, "banner": PictureSamples.jpeg + [0, 0xFF, 0xD9]])
    #expect(answer.status == 303, "\(answer.text)")
    let (avatar, banner) = (try record()["avatar"], try record()["banner"])
    #expect(avatar?["mimeType"] == "image/png" && banner?["mimeType"] == "image/jpeg")
    let page = await visitor.get(Self.page)
    #expect(page.text.contains("<img class=\"bnr\" src=\"/api/picture?at="))
    let source = try #require(page.text.firstMatch(of: /<img class="av lg" src="([^"]+)"/))
    // The sandbox names its PDS, which is not the host of this AppView's pictures.
    let shown = await visitor.get(String(source.1.replacing("pds.test", with: "appview.test")))
    #expect(shown.status == 200 && shown.body == PictureSamples.png, "\(shown.status)")
  }

  @Test(arguments: [
    (Array("not a picture".utf8), "it is not a JPEG, PNG or WebP picture"),
    (PictureSamples.gif, "it is not a JPEG"),
    (PictureSamples.webp, "it has to be a JPEG or a PNG"), (Array(PictureSamples.png.prefix(40)), "damaged"),
    (PictureSamples.jpeg.prefix(4) + Array("<script>alert(1)</script>".utf8), "damaged"),
  ])
  func aFileThatIsNoPictureIsSaidBesideIt(file: [UInt8], words: String) async throws {
    let former = try record()
    let answer = await post(["name": "Typed", "former-name": ""], files: ["avatar": file])
    try expectNothing(answer, 400, words, since: former)
    #expect(answer.text.contains("id=\"avatar-error\"") && answer.text.contains("value=\"Typed\""))
  }

  @Test func aPictureThatIsTooLargeIsSaidWithItsSize() async throws {
    let former = try record()
    // Compressed pixels are not looked into.
    let picture = PictureSamples.jpeg + Array(repeating: 0, count: 1_200_000) + [0xFF, 0xD9]
    let answer = await post([:], files: ["banner": picture])
    try expectNothing(answer, 400, "bytes, at most 1,000,000 are possible", since: former)
    #expect(answer.text.contains("id=\"banner-error\""))
  }

  @Test func aBodyWithoutTheTokenChangesNothing() async throws {
    let former = try record()
    for token in ["", String(repeating: "0", count: 64)] {
      let answer = await visitor.post(Self.page, texts: ["name": "X"], token: token)
      #expect(answer.status == 403)
    }
    #expect(try record() == former)
  }

  @Test(arguments: [1, 5, 8, 60]) func aBodyThatIsCutOffChangesNothing(missing: Int) async throws {
    let former = try record()
    let answer = await visitor.post(
      Self.page, texts: ["name": "X"], files: ["avatar": PictureSamples.png], cutting: missing)
    // Two bytes are the line break after the end.
    #expect(answer.status == (missing == 2 ? 303 : 403), "\(answer.text)")
    #expect(try record() == former)
  }

  @Test func aFormWithoutFilesIsTakenToo() async throws {
    #expect(await visitor.post(Self.page, form: ["name": "Plain", "former-name": ""]).status == 303)
    #expect(try record()["displayName"] == "Plain")
    let json = await visitor.post(Self.page, "{\"name\":\"X\"}")
    #expect(json.status == 400 && json.text.contains("the fields are missing"))
  }

  @Test func nothingIsSentIfNothingWasChanged() async throws {
    let calls = network.requests
    let answer = await post(["name": "A", "former-name": "A"])
    #expect(answer.status == 200 && answer.text.contains("Nothing was changed"))
    #expect(network.requests - calls < 5)
    #expect(try await user.run(ListJobs()).rows.isEmpty)
  }

  @Test func whatTheServerRefusesIsSaidAndKept() async throws {
    let former = try record()
    network.begin(.writesRefused)
    let answer = await post(["name": "Refused", "former-name": ""], files: ["avatar": PictureSamples.png])
    try expectNothing(answer, 409, "Not saved.", since: former)
    #expect(answer.text.contains("value=\"Refused\"") && answer.text.contains("choose the pictures again"))
  }

  @Test func aServerThatDoesNotAnswerIsSaidAndTheTextsAreKept() async throws {
    let former = try record()
    network.begin(.pdsDown)
    let answer = await post(["name": "Waiting", "former-name": ""])
    #expect(
      answer.status >= 400 && answer.text.contains("value=\"Waiting\""), "\(answer.status) \(answer.text)")
    #expect(try record() == former)
  }

  @Test func aWriteThatFailsLeavesAJobToResume() async throws {
    network.begin(.writesFail)
    let answer = await post(["name": "Later", "former-name": ""])
    #expect(
      answer.status == 409 && answer.text.contains("value=\"Later\""), "\(answer.status) \(answer.text)")
    #expect(answer.text.contains("href=\"/@alice.test/jobs\""))
    #expect(try await user.run(ListJobs()).rows.count == 1)
  }

  @Test func aRateLimitIsSaidInsteadOfWaitedFor() async throws {
    let answers = ChangedAnswers()
    answers.over(network)
    answers.set("com.atproto.repo.applyWrites") { _ in
      .xrpcError(
        429, "RateLimitExceeded", "Rate Limit Exceeded", fields: .init(named: ["Retry-After": "3000"]))
    }
    let visitor = try await Visitor(
      Dashboard(user.workspace(over: answers), at: DashboardPlace(port: 4_001)), port: 4_001)
    let start = network.clock.now
    let answer = await visitor.post(Self.page, texts: ["name": "Later", "former-name": ""])
    #expect(answer.status == 409 && answer.text.contains("has not confirmed it yet"), "\(answer.text)")
    #expect(answer.text.contains(">Resume job 1</a> after <time datetime="))
    #expect(start.duration(to: network.clock.now) < .seconds(120))
  }

  /// Empty fields would say that there is nothing.
  @Test func aProfileThatIsNotShownIsNotAnEmptyOne() async throws {
    let network = FaultyNetwork(unindexed: [try Handle(parsing: "alice.test")])
    let visitor = try await Visitor(
      Dashboard(try await ServedUser(on: network).workspace(), at: DashboardPlace(port: 4_002)), port: 4_002)
    let page = await visitor.get(Self.page)
    #expect(page.status == 200 && page.text.contains("what it says now is not known"), "\(page.text)")
  }

  @Test func anotherAccountHasNoForm() async throws {
    #expect(await visitor.get("/@carol.test/edit").status == 404)
    #expect(await visitor.post("/@carol.test/edit", texts: ["name": "X"]).status == 404)
  }
}
