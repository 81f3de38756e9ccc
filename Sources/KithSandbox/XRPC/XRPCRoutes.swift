// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalMessages

/// The XRPC methods of the sandbox, by name.
struct XRPCRoutes: Sendable {
  private struct Route {
    /// `GET` for a query, `POST` for a procedure.
    let method: String
    let answer: @Sendable (LocalRequest) throws -> LocalResponse
  }

  /// The largest JSON body that the reference server accepts.
  private static let mostBodyBytes = 1_000_000

  private var routes: [String: Route] = [:]

  /// Adds a query. Its answer has the lexicon's type, so that another shape does not compile; its parameters
  /// are validated against the lexicon.
  mutating func add<Query: XRPCQuery>(
    _: Query.Type,
    answering answer:
      @escaping @Sendable (Query.Parameters, XRPCCaller) throws(XRPCFault) -> Query.Output
  ) {
    routes[Query.nsid.description] = Route(method: "GET") { request in
      let parameters: Query.Parameters = try Self.parameters(of: request)
      return LocalResponse(body: try answer(parameters, XRPCCaller(request)).payload())
    }
  }

  /// Adds a procedure. Its input has the lexicon's type and is validated against the lexicon.
  mutating func add<Procedure: XRPCProcedure>(
    _: Procedure.Type,
    answering answer:
      @escaping @Sendable (Procedure.Input, XRPCCaller) throws(XRPCFault) -> XRPCReply<Procedure.Output>
  ) {
    routes[Procedure.nsid.description] = Route(method: "POST") { request in
      let input: Procedure.Input = try Self.input(of: request)
      let reply = try answer(input, XRPCCaller(request))
      let body = try reply.output.payload()
      var answer =
        Procedure.Output.encoding == nil
        ? LocalResponse(contentType: nil, body: body) : LocalResponse(body: body)
      answer.fields = reply.fields
      return answer
    }
  }

  /// Adds a procedure whose input is a file of any type.
  ///
  /// - Parameter most: the largest file, in bytes.
  mutating func addUpload<Procedure: XRPCProcedure>(
    _: Procedure.Type, most: Int,
    answering answer:
      @escaping @Sendable (_ bytes: [UInt8], _ type: String, XRPCCaller) throws(XRPCFault) -> XRPCReply<
        Procedure.Output
      >
  ) {
    routes[Procedure.nsid.description] = Route(method: "POST") { request in
      guard request.body.count <= most else {
        throw XRPCFault(status: 413, name: "PayloadTooLarge", message: "request entity too large")
      }
      guard let type = request["content-type"]?.split(separator: ";").first, !type.isEmpty else {
        throw XRPCFault.invalidRequest("Request encoding (Content-Type) required but not provided")
      }
      let reply = try answer(request.body, type.lowercased(), XRPCCaller(request))
      var response = LocalResponse(body: try reply.output.payload())
      response.fields = reply.fields
      return response
    }
  }

  /// Adds a query whose answer is a file.
  mutating func addDownload<Query: XRPCQuery>(
    _: Query.Type,
    answering answer: @escaping @Sendable (Query.Parameters) throws(XRPCFault) -> LocalResponse
  ) {
    routes[Query.nsid.description] = Route(method: "GET") { request in
      try answer(try Self.parameters(of: request))
    }
  }

  func offers(_ nsid: String) -> Bool { routes[nsid] != nil }

  /// Answers a request for `/xrpc/<nsid>`.
  ///
  /// - Throws: ``XRPCFault``; anything else is an error in the sandbox.
  func answer(_ nsid: String, _ request: LocalRequest) throws -> LocalResponse {
    guard NSID(nsid) != nil else { throw XRPCFault.invalidRequest("invalid xrpc path") }
    guard let route = routes[nsid] else { throw XRPCFault.methodNotImplemented }
    guard request.method == route.method || route.method == "GET" && request.method == "HEAD" else {
      throw XRPCFault.invalidRequest("Incorrect HTTP method (\(request.method)) expected \(route.method)")
    }
    return try route.answer(request)
  }

  private static func input<Input: XRPCPayload>(of request: LocalRequest) throws(XRPCFault) -> Input {
    guard request.body.count <= mostBodyBytes else {
      throw XRPCFault(status: 413, name: "PayloadTooLarge", message: "request entity too large")
    }
    if let encoding = Input.encoding {
      let type = request["content-type"]?.split(separator: ";").first ?? ""
      guard type.lowercased() == encoding else {
        throw .invalidRequest("Wrong request encoding (Content-Type): \(type)")
      }
    } else if !request.body.isEmpty {
      throw .invalidRequest("A request body was provided when none was expected")
    }
    let input: Input
    do { input = try Input(payload: request.body) } catch { throw .invalidRequest("Input: \(error)") }
    try check(input)
    return input
  }

  private static func parameters<Parameters: XRPCParameters>(
    of request: LocalRequest
  ) throws(XRPCFault) -> Parameters {
    let query = XRPCQueryReader(try QueryString.items(of: request.query))
    let parameters: Parameters
    do { parameters = try Parameters(reading: query) } catch { throw .invalidRequest("\(error)") }
    try check(parameters)
    return parameters
  }

  private static func check(_ value: some ConstrainedValue) throws(XRPCFault) {
    do throws(ValidationError) { try value.validate() } catch { throw .invalidRequest(error.description) }
  }
}
