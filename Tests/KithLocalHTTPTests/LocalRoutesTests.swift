// SPDX-License-Identifier: Apache-2.0

import KithLocalMessages
import Testing

struct LocalRoutesTests {
  private let routes: LocalRoutes<String>

  init() {
    var routes = LocalRoutes<String>()
    routes.add("GET", "/", "home")
    routes.add("GET", "/jobs", "jobs")
    routes.add("POST", "/jobs/{job}/{action}", "act")
    routes.add("GET", "/{account}", "account")
    routes.add("POST", "/{account}", "change")
    self.routes = routes
  }

  private func found(_ method: String, _ path: String) -> String {
    switch routes.match(LocalRequest(method: method, path: path)) {
    case .found(let action, let parts):
      ([action] + parts.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }).joined(separator: " ")
    case .otherMethods(let methods): methods.joined(separator: ",")
    case .nothing: "nothing"
    }
  }

  @Test(arguments: [
    ("GET", "/", "home"), ("HEAD", "/", "home"), ("GET", "/jobs", "jobs"),
    ("GET", "/@alice.test", "account account=@alice.test"),
    ("GET", "/%40alice.test", "account account=@alice.test"),
    ("POST", "/jobs/12/undo", "act action=undo job=12"),
    ("GET", "/a%2Fb", "account account=a/b"), ("GET", "/a+b", "account account=a+b"),
  ])
  func theFirstPatternThatFitsCounts(method: String, path: String, expected: String) {
    #expect(found(method, path) == expected)
  }

  @Test(arguments: ["/jobs/", "//", "/jobs//undo", "/a/b", "/%zz", "/%ff", "/jobs/12/undo/more"])
  func otherPathsAreNotServed(path: String) { #expect(found("GET", path) == "nothing") }

  @Test func theMethodsOfAPathAreNamed() {
    #expect(found("DELETE", "/x") == "GET,POST")
    #expect(found("GET", "/jobs/1/undo") == "POST")
  }
}

struct QueryItemsTests {
  @Test func namesAndValuesAreDecoded() throws {
    let items = try QueryItems("a=1&b=%26+%2B&a=2&c&=d&&%C3%A9=%E2%82%AC".utf8)
    #expect(items["a"] == "1" && items.all("a") == ["1", "2"] && items["b"] == "& +" && items["c"] == "")
    #expect(items["é"] == "€" && items[""] == "d" && items["z"] == nil && items.items.count == 6)
  }

  @Test func whatIsNotEncodedRightIsRefused() {
    for text in ["a=%", "a=%4", "a=%zz"] {
      #expect(throws: QueryItems.Fault.invalidEscape) { try QueryItems(text.utf8) }
    }
    #expect(throws: QueryItems.Fault.notUTF8) { try QueryItems("a=%ff".utf8) }
  }

  @Test(arguments: ["", "plain", "a b&c=d+e%", "https://x.test/?a=1#b", "é€🏴󠁧󠁢󠁥󠁮󠁧󠁿", "\0\u{7F}"])
  func whatIsEncodedIsDecodedAgain(text: String) throws {
    let encoded = QueryItems.encoded(text)
    #expect(try QueryItems("x=\(encoded)".utf8)["x"] == text)
    #expect(try QueryItems.decoded(encoded.utf8) == text)
    #expect(!encoded.contains { "&=+ /?#\"<>".contains($0) })
  }

  @Test func cookiesAreReadByName() {
    func cookies(_ fields: String...) -> [String] {
      LocalRequest(path: "/", fields: fields.map { HeaderField(name: "cookie", value: $0) }).cookies("kith-1")
    }
    #expect(cookies("kith-1=a") == ["a"] && cookies("x=1; kith-1=a=b; kith-1=c") == ["a=b", "c"])
    #expect(
      cookies("kith-11=a", "kith-1=b") == ["b"] && cookies("kith-1") == [] && cookies("xkith-1=a") == [])
    #expect(cookies() == [] && cookies("kith-1=") == [""])
  }
}
