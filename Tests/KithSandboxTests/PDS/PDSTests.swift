// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLexicons
import KithLocalMessages
import Testing

@testable import KithSandbox

@Suite struct PDSTests {
  private let questions = SandboxQuestions()

  @Test func resolvesHandles() throws {
    let answer = try questions.ask(
      Com.Atproto.Identity.ResolveHandle.self,
      Com.Atproto.Identity.ResolveHandle.Parameters(handle: try Handle(parsing: "Alice.test")))
    #expect(answer.did == questions.did(.alice))
  }

  /// Q2: views hide inactive accounts; handle resolution does not.
  @Test(arguments: ["oscar.test", "trent.test"]) func resolvesHandlesOfHiddenAccounts(handle: String) throws {
    let handle = try Handle(parsing: handle)
    let answer = try questions.ask(
      Com.Atproto.Identity.ResolveHandle.self,
      Com.Atproto.Identity.ResolveHandle.Parameters(handle: handle))
    #expect(answer.did == questions.network.account(handle)?.did)
  }

  @Test func doesNotResolveAnUnknownHandle() {
    let fault = #expect(throws: XRPCFault.self) {
      try questions.ask(
        Com.Atproto.Identity.ResolveHandle.self,
        Com.Atproto.Identity.ResolveHandle.Parameters(handle: try Handle(parsing: "nobody.test")))
    }
    #expect(fault == .invalidRequest("Unable to resolve handle"))
  }

  @Test func returnsTheDIDOfTheRequestedHost() {
    for host in ["alice.test", "alice.test:2583", "ALICE.TEST"] {
      let answer = questions.raw("/.well-known/atproto-did", host: host)
      #expect(answer.contentType?.hasPrefix("text/plain") == true)
      #expect(String(decoding: answer.body, as: UTF8.self) == questions.did(.alice).description)
    }
    for host in [nil, "", ":", "127.0.0.1:2583", "nobody.test", "oscar.test"] {
      #expect(questions.raw("/.well-known/atproto-did", host: host).status == 404)
    }
  }

  @Test func describesItself() throws {
    let answer = try questions.ask(Com.Atproto.Server.DescribeServer.self, NoParameters())
    #expect(answer.availableUserDomains == [".test"])
    #expect(questions.raw("/xrpc/_health").status == 200)
  }
}
