// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import KithCore
import KithLexicons
import TestSupport
import Testing

@testable import KithClient

/// Unknown is not "no": only the service's own error makes an account absent.
@Suite struct XRPCErrorAbsenceTests {
  private func refusal(_ response: TransportResponse) throws -> XRPCError {
    XRPCError(
      refusal: response, to: App.Bsky.Actor.GetProfile.nsid,
      service: try ServiceURL(parsing: "https://appview.test"), at: 0)
  }

  @Test(arguments: [
    (400, "InvalidRequest", "Profile not found"), (400, "InvalidRequest", "Unable to resolve handle"),
    (400, "InvalidRequest", "List not found"), (400, "ActorNotFound", "x"), (400, "HandleNotFound", "x"),
    (404, "HandleNotFound", "x"),
  ]) func hearsTheServiceSayIt(status: Int, name: String, message: String) throws {
    #expect(try refusal(.xrpcError(status, name, message)).saysNotFound)
  }

  @Test(arguments: [
    (400, "InvalidRequest", "Error: actor must be a valid did or a handle"),
    (400, "InvalidRequest", "could not resolve proxy did"),
    (400, "InvalidRequest", "could not resolve proxy did service url"),
    (400, "InvalidRequest", "proxy service not found"),
    (400, "InvalidRequest", "Unable to resolve the service"), (400, "ExpiredToken", "not found"),
    (401, "AuthMissing", "Session not found"), (403, "Forbidden", "not found"),
    (404, "NotFound", "not found"),
    (404, "Not Found", "route not found"), (429, "RateLimitExceeded", "not found"),
    (501, "MethodNotImplemented", "Method not found"), (500, "ActorNotFound", "x"),
  ]) func takesNothingElseForIt(status: Int, name: String, message: String) throws {
    #expect(try !refusal(.xrpcError(status, name, message)).saysNotFound)
  }

  @Test(arguments: [301, 400, 404, 410]) func takesNoPageForIt(status: Int) throws {
    let page = TransportResponse(status: status, "<h1>404 page not found</h1>", type: "text/html")
    #expect(try !refusal(page).saysNotFound)
  }
}
