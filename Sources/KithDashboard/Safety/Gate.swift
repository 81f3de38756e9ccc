// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithLocalMessages

/// Decides which requests are answered. Any program of this machine, and any page in a browser, may send one.
///
/// - A browser enters with a token that counts once, and gets a cookie for it.
/// - A host of another name may have been led here by a stranger (DNS rebinding).
/// - A page of another site may send a form or a script may, but neither can forge `Sec-Fetch-Site` or the token of
///   a form.
struct Gate {
  /// A browser that has entered.
  struct Session: Sendable {
    fileprivate let cookie: SecretToken
    /// What each POST has to bring.
    let formToken: SecretToken
  }

  /// What becomes of a request.
  enum Verdict {
    /// It is answered.
    case admitted(Session)
    /// It is answered with what is part of the program, and says nothing about anybody.
    case asset
    /// It has brought the token: the browser gets the cookie.
    case entered(setCookie: String)
    case refused(Refusal)
  }

  /// Why a request is not answered.
  enum Refusal: Hashable {
    /// It names another host.
    case wrongHost
    /// Its browser has not entered.
    case notEntered
    /// The token is wrong, or was used.
    case wrongToken
    /// There were too many wrong tokens; try again then.
    case tooManyTokens(retryAfter: Duration)
    /// It comes from the page of another site, or does not say from where.
    case otherSite
    /// It does not bring the token of its form.
    case wrongFormToken
  }

  /// Where a browser enters, with the token as `token`.
  static let entrance = "/enter"
  /// Where the files of the program are.
  static let assets = "/assets/"
  /// Wrong tokens within ``span``, after which none is accepted for that long.
  static let mostWrongTokens = 10
  static let span = Duration.seconds(60)
  /// Browsers at once; for one more, the first one has to enter again.
  static let mostSessions = 16

  private let place: DashboardPlace
  private var sessions: [Session] = []
  /// What the next browser enters with.
  private(set) var token: SecretToken
  /// When wrong tokens came, within the span.
  private var wrongTokens: [Duration] = []
  private var closedUntil = Duration.zero

  init(_ place: DashboardPlace, random: inout some RandomNumberGenerator) {
    self.place = place
    token = SecretToken(from: &random)
  }

  /// The name of the cookie. Cookies do not know ports: two dashboards would overwrite each other's.
  private func cookie(of host: DashboardPlace.Address) -> String { "kith-\(host.port)" }

  /// Decides about a request.
  ///
  /// - Parameters:
  ///   - formToken: the token that a POST brings in its body, which is read only for a browser that has entered.
  ///   - now: by a clock that does not go back.
  mutating func verdict(
    on request: LocalRequest, formToken: @autoclosure () -> String?, now: Duration,
    random: inout some RandomNumberGenerator
  ) -> Verdict {
    guard let host = place.address(ofHost: request["host"]) else { return .refused(.wrongHost) }
    if request.path == Self.entrance { return enter(request, at: host, now: now, &random) }
    if request.path.hasPrefix(Self.assets) { return .asset }
    // A server at another port may have set one of that name, too.
    let cookies = request.cookies(cookie(of: host))
    guard
      let session = sessions.first(where: { session in cookies.contains { session.cookie.isEqual(to: $0) } })
    else {
      return .refused(.notEntered)
    }
    let site = request["sec-fetch-site"]
    switch request.method {
    case "GET", "HEAD":
      // What a script reads; a page may be opened by its address.
      guard !request.isForProgram || site == "same-origin" else { return .refused(.otherSite) }
    default:
      // Browsers hide the origin of a page that tells no referrer; what they say of the site is still theirs.
      let origin = request["origin"]
      guard site == "same-origin", origin == "null" || place.isOwn(origin: origin) else {
        return .refused(.otherSite)
      }
      guard session.formToken.isEqual(to: formToken()) else { return .refused(.wrongFormToken) }
    }
    return .admitted(session)
  }

  private mutating func enter(
    _ request: LocalRequest, at host: DashboardPlace.Address, now: Duration,
    _ random: inout some RandomNumberGenerator
  ) -> Verdict {
    // A picture or frame of another site may name it, and is not counted: it would keep the user out.
    guard request.method == "GET", ["document", nil].contains(request["sec-fetch-dest"]) else {
      return .refused(.otherSite)
    }
    guard now >= closedUntil else { return .refused(.tooManyTokens(retryAfter: closedUntil - now)) }
    guard token.isEqual(to: (try? request.queryItems)?["token"]) else {
      wrongTokens = wrongTokens.filter { now - $0 < Self.span } + [now]
      if wrongTokens.count >= Self.mostWrongTokens {
        (wrongTokens, closedUntil) = ([], now + Self.span)
      }
      return .refused(.wrongToken)
    }
    token = SecretToken(from: &random)
    let session = Session(cookie: SecretToken(from: &random), formToken: SecretToken(from: &random))
    sessions = sessions.suffix(Self.mostSessions - 1) + [session]
    let isSecure = host.isLocal ? "" : "; Secure"
    return .entered(
      setCookie: "\(cookie(of: host))=\(session.cookie.text); HttpOnly; SameSite=Strict; Path=/\(isSecure)")
  }
}

extension LocalRequest {
  /// Whether it is for what scripts read, however its path is written.
  var isForProgram: Bool {
    let first = path.utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") }
    return (try? QueryItems.decoded(first)) == "api"
  }
}
