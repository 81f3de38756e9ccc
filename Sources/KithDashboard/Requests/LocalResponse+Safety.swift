// SPDX-License-Identifier: Apache-2.0

import KithInsights
import KithLocalMessages
import KithOperations

extension LocalResponse {
  /// What a browser may do with a page: show it with files of this server, and nothing else.
  private static let contentSecurityPolicy = [
    "default-src 'none'", "img-src 'self'", "style-src 'self'", "script-src 'self'", "connect-src 'self'",
    "form-action 'self'", "frame-ancestors 'none'", "base-uri 'none'",
  ].joined(separator: "; ")

  /// The same with what each response says to browsers.
  ///
  /// - Parameter isAsset: whether it says nothing about anybody, so that a browser may keep it.
  func hardened(isAsset: Bool = false) -> LocalResponse {
    var response = self
    let fields: KeyValuePairs = [
      "Content-Security-Policy": Self.contentSecurityPolicy, "X-Content-Type-Options": "nosniff",
      "Referrer-Policy": "no-referrer", "Cross-Origin-Resource-Policy": "same-origin",
      "Cross-Origin-Opener-Policy": "same-origin",
      "Cache-Control": isAsset ? "private, max-age=31536000, immutable" : "no-store",
    ]
    response.fields += fields.map { HeaderField(name: $0.key, value: $0.value) }
    return response
  }

  /// A page.
  static func page(_ html: HTML, status: Int = 200) -> LocalResponse {
    LocalResponse(status: status, contentType: "text/html; charset=utf-8", body: html.bytes)
  }

  /// A sentence.
  static func text(_ status: Int, _ sentence: String) -> LocalResponse {
    LocalResponse(status: status, contentType: "text/plain; charset=utf-8", body: Array("\(sentence)\n".utf8))
  }

  /// Has a browser save it instead of showing it. Other characters than letters, digits, points and hyphens are left out of the name.
  mutating func offer(asFileNamed name: String) {
    let name = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || ".-".contains($0)) }
    fields.append(HeaderField(name: "Content-Disposition", value: "attachment; filename=\"\(name)\""))
  }

  /// Goes on to another page, with GET.
  static func seeOther(_ address: String) -> LocalResponse {
    var response = LocalResponse(status: 303, contentType: nil, body: [])
    response.fields.append(HeaderField(name: "Location", value: address))
    return response
  }

  /// An object.
  static func json(_ fields: [OutputField], status: Int = 200) -> LocalResponse {
    var body: [UInt8] = []
    OutputValue.object(fields).appendJSON(to: &body)
    return LocalResponse(status: status, body: body)
  }

  /// A failure, for a program.
  static func failure(_ failure: Failure) -> LocalResponse {
    .json([OutputField("error", .object(failure.fields))], status: failure.status)
  }
}

extension Gate.Refusal {
  /// Without a page around it: the browser has not entered.
  var response: LocalResponse {
    switch self {
    case .wrongHost: return .text(421, "This server does not have that name.")
    case .notEntered:
      return .text(401, "This browser has not entered. Open the address that Kith shows in the terminal.")
    case .wrongToken:
      return .text(
        403, "This address was used before, or is not whole. Open the one that the terminal shows now.")
    case .tooManyTokens(let wait):
      var response = LocalResponse.text(429, "Too many wrong addresses. Try again in a minute.")
      response.fields.append(
        HeaderField(name: "Retry-After", value: "\(max(1, wait.components.seconds))"))
      return response
    case .otherSite: return .text(403, "This request does not come from a page of Kith.")
    case .wrongFormToken: return .text(403, "This form is not one of this page. Load the page again.")
    }
  }
}
