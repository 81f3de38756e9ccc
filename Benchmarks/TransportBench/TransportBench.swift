// SPDX-License-Identifier: Apache-2.0

import Foundation
import FoundationNetworking
import HTTPTypes
import KithClient
import KithCurlTransport

/// Compares ``CurlTransport`` with FoundationNetworking's URLSession against one nginx, in alternating
/// rounds of the same run: requests a second and CPU time a request, medians.
@main enum TransportBench {
  private static let bytes = 5 << 10
  private static let inFlight = 8
  private static let rounds = 7
  private static let seconds = 1.5

  static func main() async throws {
    let server = try await StaticServer(bytes: bytes)
    defer { server.stop() }
    let curl = curlSender(server.url)
    let session = urlSessionSender(server.url)
    let curlCount = try await calibrated(curl)
    let sessionCount = try await calibrated(session)
    var measured: (curl: [Measurement], session: [Measurement]) = ([], [])
    for _ in 0..<rounds {
      measured.curl.append(try await round(curlCount, curl))
      measured.session.append(try await round(sessionCount, session))
    }
    report(curl: measured.curl, session: measured.session)
  }

  private typealias Sender = @Sendable () async throws -> Int

  private static func round(_ count: Int, _ send: @escaping Sender) async throws -> Measurement {
    try await Measurement.round(count: count, inFlight: inFlight, bytes: bytes, send)
  }

  /// Warms up, and finds how many requests make a round of the wanted length.
  private static func calibrated(_ send: @escaping Sender) async throws -> Int {
    _ = try await round(500, send)
    return Int(try await round(2000, send).requestsPerSecond * seconds)
  }

  private static func curlSender(_ url: URL) -> Sender {
    let transport = CurlTransport(CurlTransport.Configuration(connectionsPerHost: inFlight))
    let request = TransportRequest(
      head: HTTPRequest(
        method: .get, scheme: url.scheme, authority: "127.0.0.1:\(url.port ?? 80)", path: url.path,
        headerFields: [.accept: "application/json"]))
    return { try await transport.send(request).body.count }
  }

  private static func urlSessionSender(_ url: URL) -> Sender {
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = inFlight
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpCookieStorage = nil
    let session = URLSession(configuration: configuration)
    var request = URLRequest(url: url)
    request.setValue("application/json", forHTTPHeaderField: "Accept")
    return { [request] in try await session.data(for: request).0.count }
  }

  private static func report(curl: [Measurement], session: [Measurement]) {
    let rows = [("CurlTransport", curl), ("URLSession", session)]
    print(
      "\(bytes) bytes an answer, \(inFlight) in flight, \(rounds) alternating rounds, HTTP/1.1 keep-alive")
    print("                 requests/s (min - max)          CPU µs/request")
    for (name, rounds) in rows {
      let rates = rounds.map(\.requestsPerSecond).sorted()
      let cpu = median(rounds.map(\.cpuMicroseconds))
      print(
        name.padding(toLength: 14, withPad: " ", startingAt: 0),
        String(format: "%12.0f (%6.0f - %6.0f) %16.1f", median(rates), rates[0], rates[rates.count - 1], cpu))
    }
    let ratio = median(curl.map(\.requestsPerSecond)) / median(session.map(\.requestsPerSecond))
    print("ratio         ", String(format: "%12.1fx", ratio))
  }

  private static func median(_ values: [Double]) -> Double {
    values.sorted()[values.count / 2]
  }
}
