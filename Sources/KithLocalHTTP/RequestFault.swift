// SPDX-License-Identifier: Apache-2.0

internal import KithLocalMessages

/// Why a request is refused before anyone sees it. The rest of its connection is unusable.
struct RequestFault: Error, Hashable {
  let status: Int
  let reason: String

  static func malformed(_ reason: String) -> RequestFault { RequestFault(status: 400, reason: reason) }

  var response: LocalResponse {
    LocalResponse(
      status: status, contentType: "text/plain; charset=utf-8", body: Array((reason + "\n").utf8))
  }
}
