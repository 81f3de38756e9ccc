// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// The XRPC methods that the sandbox answers, by name.
struct XRPCRoutes: Sendable {
  private var queries: [String: @Sendable (QueryString) throws -> [UInt8]] = [:]

  /// Offers a query. Its answer is encoded from the lexicon's own type, so that one of another shape does
  /// not compile; its parameters are checked against the lexicon's limits before they are answered.
  mutating func add<Query: XRPCQuery>(
    _: Query.Type,
    reading read: @escaping @Sendable (QueryString) throws(XRPCFault) -> Query.Parameters,
    answering answer: @escaping @Sendable (Query.Parameters) throws(XRPCFault) -> Query.Output
  ) {
    queries[Query.nsid.description] = { query in
      let parameters = try read(query)
      do throws(ValidationError) {
        try parameters.validate()
      } catch {
        throw XRPCFault.invalidRequest(error.description)
      }
      return try answer(parameters).payload()
    }
  }

  func offers(_ nsid: String) -> Bool { queries[nsid] != nil }

  /// Answers a request for `/xrpc/<nsid>`.
  ///
  /// - Throws: ``XRPCFault``; anything else is a fault of the sandbox.
  func answer(_ nsid: String, httpMethod: String, query: QueryString) throws -> SandboxAnswer {
    guard NSID(nsid) != nil else { throw XRPCFault.invalidRequest("invalid xrpc path") }
    guard let answer = queries[nsid] else { throw XRPCFault.methodNotImplemented }
    guard httpMethod == "GET" || httpMethod == "HEAD" else {
      throw XRPCFault.invalidRequest("Incorrect HTTP method (\(httpMethod)) expected GET")
    }
    return SandboxAnswer(body: try answer(query))
  }
}
