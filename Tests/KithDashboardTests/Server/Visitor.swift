// SPDX-License-Identifier: Apache-2.0

import KithLocalMessages
import Testing

@testable import KithDashboard

/// A browser that has entered.
struct Visitor {
  let dashboard: Dashboard
  let port: Int
  let cookie, formToken: String

  init(_ dashboard: Dashboard, port: Int) async throws {
    let host = HeaderField(name: "Host", value: "127.0.0.1:\(port)")
    let query = try #require(dashboard.entrance.split(separator: "?").last)
    let entered = await dashboard.answer(LocalRequest(path: "/enter", query: String(query), fields: [host]))
    #expect(
      entered.status == 200 && entered.text.contains("http-equiv=\"refresh\" content=\"0;url=/\""))
    let field = try #require(entered.fields.first { $0.name == "Set-Cookie" })
    let cookie = String(try #require(field.value.split(separator: ";").first))
    let page = await dashboard.answer(
      LocalRequest(path: "/accounts", fields: [host, HeaderField(name: "Cookie", value: cookie)]))
    let token = try #require(page.text.firstMatch(of: /<meta name="kith-token" content="([0-9a-f]{64})">/))
    (self.dashboard, self.port, self.cookie, formToken) = (dashboard, port, cookie, String(token.1))
  }

  private func fields(_ more: KeyValuePairs<String, String> = [:]) -> [HeaderField] {
    let fields = [
      HeaderField(name: "Host", value: "127.0.0.1:\(port)"), HeaderField(name: "Cookie", value: cookie),
      HeaderField(name: "Sec-Fetch-Site", value: "same-origin"),
    ]
    return fields + more.map { HeaderField(name: $0.key, value: $0.value) }
  }

  func get(_ target: String) async -> LocalResponse {
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    return await dashboard.answer(
      LocalRequest(path: parts[0], query: parts.count > 1 ? parts[1] : "", fields: fields()))
  }

  func post(_ path: String, body: String, type: String) async -> LocalResponse {
    await dashboard.answer(
      LocalRequest(
        method: "POST", path: path,
        fields: fields(["Content-Type": type, "Origin": "http://127.0.0.1:\(port)"]),
        body: Array(body.utf8)))
  }

  /// Sends a form with the token of the page.
  func post(_ path: String, form items: KeyValuePairs<String, String>) async -> LocalResponse {
    let pairs = items.map { "\($0.key)=\(QueryItems.encoded($0.value))" } + ["token=\(formToken)"]
    return await post(path, body: pairs.joined(separator: "&"), type: "application/x-www-form-urlencoded")
  }

  /// Sends a form that may have files, with the token of the page.
  func post(
    _ path: String, texts: KeyValuePairs<String, String>, files: [String: [UInt8]] = [:],
    token: String? = nil,
    cutting missing: Int = 0
  ) async -> LocalResponse {
    let head = "--B\r\nContent-Disposition: form-data; name="
    var body = (texts.map { ($0.key, $0.value) } + [("token", token ?? formToken)]).flatMap {
      Array("\(head)\"\($0)\"\r\n\r\n\($1)\r\n".utf8)
    }
    for (name, bytes) in files {
      body += Array("\(head)\"\(name)\"; filename=\"me.png\"\r\nContent-Type: image/png\r\n\r\n".utf8) + bytes
      body += Array("\r\n".utf8)
    }
    body += Array("--B--\r\n".utf8)
    return await dashboard.answer(
      LocalRequest(
        method: "POST", path: path,
        fields: fields([
          "Content-Type": "multipart/form-data; boundary=B", "Origin": "http://127.0.0.1:\(port)",
        ]), body: body.dropLast(missing)))
  }

  /// Sends an object, or a form, with the token of the page.
  func post(_ path: String, _ body: String, type: String = "application/json") async -> LocalResponse {
    let isForm = type != "application/json"
    let members = String(body.dropLast()) + (body == "{}" ? "" : ",")
    return await post(
      path, body: isForm ? "\(body)&token=\(formToken)" : "\(members)\"token\":\"\(formToken)\"}",
      type: type)
  }
}

extension LocalResponse {
  var text: String { String(decoding: body, as: UTF8.self) }

  /// Where it goes on.
  var location: String? { fields.first { $0.name == "Location" }?.value }
}
