// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import KithCore

extension XRPCClient {
  /// Calls a method whose response is too large for memory or not JSON: a repository, a blob.
  ///
  /// The body is read as it arrives. Until the head has arrived, the call is retried like
  /// ``perform(_:repeatable:)`` and counts as in flight at its host. Afterwards nothing is retried, and the
  /// body throws ``XRPCError`` if it is cut off.
  /// - Parameter limits: The limits of the exchange, instead of the configuration's.
  /// - Throws: ``XRPCError``, also for a response outside 2xx; `CancellationError` when the task is
  ///   cancelled.
  package func stream(
    _ request: XRPCRequest, repeatable: Bool, limits: TransportRequest.Limits = .streamed
  ) async throws -> TransportStream {
    try await authorizing(request) { try await streamAuthorized(&$0, repeatable: repeatable, limits) }
  }

  private func streamAuthorized(
    _ request: inout XRPCRequest, repeatable: Bool, _ limits: TransportRequest.Limits
  ) async throws -> TransportStream {
    let method = request.method
    do {
      return try await repeater(for: method).run(isRepeatable: repeatable) { _ in
        try await opening(&request, limits)
      } failure: { result in
        switch result {
        case .success(let opening): opening.refusal.map { refusal($0, of: request) }
        case .failure(let error): fault(error, of: method)
        }
      } wait: { (failure: XRPCError) in
        failure.isTransient ? failure.retryAfter ?? .zero : nil
      } onRetry: { failure, pause in
        logRetry(failure, pause, of: method)
      }.stream
    } catch let refusal as TrafficRefusal {
      throw XRPCError(refusal, method: method, service: service)
    }
  }

  /// A response that starts, with its body if it is a refusal.
  private struct Opening: HTTPAnswer {
    let stream: TransportStream
    let refusal: TransportResponse?

    var head: HTTPResponse { stream.head }
  }

  private func opening(
    _ request: inout XRPCRequest, _ limits: TransportRequest.Limits
  ) async throws -> Opening {
    let answer = try await counted(&request, limits)
    guard answer.head.status.kind != .successful else { return Opening(stream: answer, refusal: nil) }
    // A refusal stays one even if its body is cut off or too long.
    let words = (try? await answer.body.collect(upTo: Self.refusalBytes)) ?? []
    try Task.checkCancellation()
    return Opening(stream: answer, refusal: TransportResponse(head: answer.head, body: words))
  }

  /// Starts one exchange, whose cost is counted however it ends.
  private func counted(
    _ request: inout XRPCRequest, _ limits: TransportRequest.Limits
  ) async throws -> TransportStream {
    let (method, name) = (request.method, request.method.description)
    let attempt = try await request.next(for: self, limits)
    meter.add(to: name) { $0.calls += 1 }
    let started = time.now
    let opened: TransportStream
    do {
      opened = try await transport.open(attempt)
    } catch {
      let elapsed = time.now - started
      meter.add(to: name) { $0.time += elapsed }
      throw error
    }
    await request.received(opened.head)
    let body = StreamedAnswer(opened.body, fault: { fault($0, of: method) }) { [meter] in
      meter.add($0, to: name)
    }
    return TransportStream(head: opened.head, body: TransportBody(body))
  }

  /// The maximum number of bytes to read of a response outside 2xx.
  private static var refusalBytes: Int { 64 << 10 }
}

extension TransportRequest.Limits {
  /// For responses that are read as they arrive: they are not kept in memory, so the stall limit is what ends
  /// them. Six hours and a tebibyte protect against a server that never ends.
  package static let streamed = Self(total: .seconds(6 * 3600), responseBytes: 1 << 40)
}
