// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import KithClient
internal import KithCore

/// Fetches the pictures of accounts and posts for the dashboard's pages: browsers contact no other server, and get nothing but
/// pictures.
///
/// Asks only the hosts where the AppView has its pictures, without redirects, for six pictures at once. Equal requests in flight
/// are one.
package struct PictureProxy: Sendable {
  /// The most bytes of a picture.
  package static let mostBytes = 1_000_000
  private static let mostAtOnce = 6
  private static let patience = Duration.seconds(5)

  private let transport: any HTTPTransport
  private let appview: ServiceURL
  private let cache: PictureCache?
  private let time: TimeSource
  private let underWay = PosixMutex(SharedBatches<PictureAddress, FetchedPicture>())
  private let turns = Turns(atOnce: mostAtOnce)

  /// Make one and keep it: its copies share the requests in flight.
  ///
  /// - Parameters:
  ///   - appview: the AppView that gives the addresses.
  ///   - cache: keeps pictures whose address names their content; nil for none.
  ///   - time: notes when a kept picture is used.
  package init(transport: any HTTPTransport, appview: ServiceURL, cache: PictureCache?, time: TimeSource) {
    (self.transport, self.appview, self.cache, self.time) = (transport, appview, cache, time)
  }

  /// Returns the picture at an address that the AppView gave. Cancelling one caller does not affect the others.
  package func picture(at address: String) async throws(PictureFault) -> FetchedPicture {
    let place = PictureAddress(address)
    let host = place?.service.host ?? ""
    guard let place, let reach = place.reach(for: appview) else {
      throw PictureFault(.notAllowed, host: host)
    }
    let works = underWay.withLock { underWay in
      underWay.join([place]) { _, number in
        SharedWork {
          defer { self.underWay.withLock { $0.end(number, of: [place]) } }
          return [place: try await kept(place, reach)]
        }
      }
    }
    do {
      let found = try await SharedBatches.outcomes(of: works, about: [place])
      guard let picture = found[place] else { throw PictureFault(.unavailable, host: host) }
      return picture
    } catch let fault as PictureFault {
      throw fault
    } catch {
      throw PictureFault(error, host: host)
    }
  }

  /// Returns a picture from the cache, or from its server into the cache.
  private func kept(
    _ place: PictureAddress, _ reach: TransportRequest.Reach
  ) async throws -> FetchedPicture {
    if let picture = await cache?.picture(at: place, now: time.instant) { return picture }
    let picture = try await turns.take { try await fetched(place, reach) }
    await cache?.keep(picture, of: place, now: time.instant)
    return picture
  }

  private func fetched(
    _ place: PictureAddress, _ reach: TransportRequest.Reach
  ) async throws -> FetchedPicture {
    // It may have waited for its turn for pages that are closed by now.
    try Task.checkCancellation()
    let service = place.service
    var head = HTTPRequest(
      method: .get, scheme: service.scheme, authority: service.authority, path: place.path)
    head.headerFields[.accept] = "image/webp, image/jpeg, image/png"
    let limits = TransportRequest.Limits(
      connect: Self.patience, stall: Self.patience, total: Self.patience, responseBytes: Self.mostBytes)
    let request = TransportRequest(head: head, limits: limits, redirects: .refuse, reach: reach)
    try request.check(transport.capabilities)
    let answer = try await transport.send(request)
    guard answer.head.status.code == 200 else {
      throw PictureFault(status: answer.head.status.code, host: service.host)
    }
    guard let picture = FetchedPicture(answer.body) else {
      throw PictureFault(.notAPicture, host: service.host)
    }
    return picture
  }
}
