// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import HTTPTypes
internal import Logging

extension XRPCClient {
  /// Calls a method whose answer is too large to be held, or is no JSON: a repository, a blob.
  ///
  /// The answer's body is read as it comes. Until its head is there the call is repeated as by
  /// ``perform(_:repeatable:)``; afterwards nothing is, and the body throws ``XRPCError`` where it breaks off.
  /// - Parameter limits: bounds on the exchange, in place of the configuration's.
  /// - Throws: ``XRPCError``, for an answer outside 2xx too; `CancellationError` when the task is cancelled.
  public func stream(
    _ request: XRPCRequest, repeatable: Bool, limits: TransportRequest.Limits = .streamed
  ) async throws -> TransportStream {
    let repeater = Repeater(policy: configuration.retry, time: time, random: configuration.random)
    return try await repeater.run {
      try await openOnce(request, limits)
    } wait: { (failure: XRPCError) in
      repeatable && failure.isTransient ? failure.retryAfter ?? .zero : nil
    } onRetry: { failure, delay in
      configuration.logger.debug(
        "retry", metadata: ["after": "\(delay.inMilliseconds) ms", "because": "\(failure)"])
      meter.add(to: request.method.description) { $0.retries += 1 }
    }
  }

  private func openOnce(
    _ request: XRPCRequest, _ limits: TransportRequest.Limits
  ) async throws -> TransportStream {
    let answer = try await counted(request, limits)
    guard answer.head.status.kind == .successful else {
      // A body that breaks off, or that is longer than any words, takes nothing from the refusal.
      let words = (try? await answer.body.collect(upTo: Self.refusalBytes)) ?? []
      try Task.checkCancellation()
      throw XRPCError(
        refusal: TransportResponse(head: answer.head, body: words), to: request.method, service: service,
        at: time.microsecondsSinceEpoch)
    }
    return answer
  }

  /// Opens one exchange whose cost goes to the meter, however it ends.
  private func counted(
    _ request: XRPCRequest, _ limits: TransportRequest.Limits
  ) async throws -> TransportStream {
    let name = request.method.description
    let fault = { @Sendable [service] (error: TransportError) in
      XRPCError(
        .transport, method: request.method, service: service.origin, message: error.reason, underlying: error)
    }
    meter.add(to: name) { $0.calls += 1 }
    let started = time.now
    let opened: TransportStream
    do {
      opened = try await transport.open(request.transportRequest(for: self, limits))
    } catch {
      let elapsed = time.now - started
      meter.add(to: name) { $0.time += elapsed }
      throw (error as? TransportError).map(fault) ?? error
    }
    let body = StreamedAnswer(opened.body, fault: fault) { [meter] in meter.add($0, to: name) }
    return TransportStream(head: opened.head, body: TransportBody(body))
  }

  /// The most that is read of an answer outside 2xx.
  private static var refusalBytes: Int { 64 << 10 }
}

extension TransportRequest.Limits {
  /// For answers that are read as they come: nothing of them is held, so that a stall is what ends them. Six
  /// hours and a tebibyte are there against a server that never ends.
  public static let streamed = Self(total: .seconds(6 * 3600), responseBytes: 1 << 40)
}
