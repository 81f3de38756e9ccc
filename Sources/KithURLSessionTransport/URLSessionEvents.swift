// SPDX-License-Identifier: Apache-2.0

import Foundation
import KithClient
import KithCore

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Receives the events of a transport's tasks and passes each to its exchange.
final class URLSessionEvents: NSObject, URLSessionDataDelegate, Sendable {
  private struct State {
    /// The exchanges in progress. Each retains its task, so no identifier is used again.
    var exchanges: [ObjectIdentifier: (exchange: URLSessionExchange, task: URLSessionTask)] = [:]
    var isClosed = false
  }

  private let state = PosixMutex(State())

  /// Starts an exchange.
  ///
  /// - Parameter makeTask: Called under the lock, because a closed session that is asked for a task ends the
  ///   process.
  /// - Throws: ``TransportError`` with `closed`.
  func start(
    _ exchange: URLSessionExchange, _ makeTask: () -> URLSessionDataTask
  ) throws(TransportError) {
    let task = state.withLock { state -> URLSessionDataTask? in
      guard !state.isClosed else { return nil }
      let task = makeTask()
      state.exchanges[ObjectIdentifier(task)] = (exchange, task)
      return task
    }
    guard let task else { throw TransportError(.closed, host: exchange.host) }
    exchange.start(task)
  }

  /// Ends all exchanges in progress, and refuses further ones.
  func close() {
    let exchanges = state.withLock { state in
      state.isClosed = true
      return state.exchanges.values.map(\.exchange)
    }
    for exchange in exchanges { exchange.fail(.closed) }
  }

  private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
    state.withLock { $0.exchanges[ObjectIdentifier(task)]?.exchange }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
    totalBytesExpectedToSend: Int64
  ) {
    exchange(of: task)?.sentBytes()
  }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    exchange(of: dataTask)?.receive(response)
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    exchange(of: dataTask)?.receive(data)
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
    newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) {
    exchange(of: task)?.declineRedirect { completionHandler(nil) }
  }

  func urlSession(
    _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
    completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
  ) {
    #if !canImport(FoundationNetworking)
      let method = challenge.protectionSpace.authenticationMethod
      if method == NSURLAuthenticationMethodServerTrust {
        return completionHandler(.performDefaultHandling, nil)
      }
    #endif
    exchange(of: task)?.challenge()
    completionHandler(.rejectProtectionSpace, nil)
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let exchange = state.withLock { $0.exchanges.removeValue(forKey: ObjectIdentifier(task))?.exchange }
    exchange?.complete(task.response, error)
  }
}
