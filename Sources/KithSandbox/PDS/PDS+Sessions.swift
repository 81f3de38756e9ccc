// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLexicons
internal import KithLocalMessages

extension PDS {
  func offerSessions(to routes: inout XRPCRoutes) {
    routes.add(Com.Atproto.Server.CreateSession.self, answering: createSession)
    routes.add(Com.Atproto.Server.RefreshSession.self, answering: refreshSession)
    routes.add(Com.Atproto.Server.DeleteSession.self, answering: deleteSession)
    routes.add(Com.Atproto.Server.GetSession.self, answering: getSession)
  }

  @Sendable private func createSession(
    _ input: Com.Atproto.Server.CreateSession.Input, _: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<Com.Atproto.Server.CreateSession.Output> {
    let standings = live.standings
    let account = ATIdentifier(input.identifier).flatMap(standings.index(of:))
    let (tokens, fields) = try live.withState { state, now throws(XRPCFault) in
      guard let account else { throw Self.wrongPassword }
      let fields = try state.logins.attempt(account, at: now)
      guard input.password == network.password(at: account) else {
        throw XRPCFault(wrong: Self.wrongPassword, fields)
      }
      try checkCode(input.authFactorToken, of: account, fields)
      if [.takenDown, .suspended].contains(standings.status(at: account)), input.allowTakendown != true {
        throw XRPCFault(
          status: 401, name: "AccountTakedown", message: "Account has been taken down", fields: fields)
      }
      return (state.sessions.open(account, did: network.dids[account], at: now), fields)
    }
    guard let account else { throw Self.wrongPassword }
    let output = Com.Atproto.Server.CreateSession.Output(
      accessJwt: tokens.access.text, refreshJwt: tokens.refresh.text,
      handle: live.standings.handle(at: account),
      did: network.dids[account], didDoc: try didDocument(of: account), active: isActive(account),
      status: isActive(account) ? nil : .init(rawValue: statusName(of: account)))
    return XRPCReply(output, fields: fields)
  }

  @Sendable private func refreshSession(
    _: NoContent, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<Com.Atproto.Server.RefreshSession.Output> {
    let (account, tokens) = try live.withState { state, now throws(XRPCFault) in
      try state.sessions.refresh(caller.bearerToken, at: now) { network.dids[$0] }
    }
    return XRPCReply(
      Com.Atproto.Server.RefreshSession.Output(
        accessJwt: tokens.access.text, refreshJwt: tokens.refresh.text,
        handle: live.standings.handle(at: account),
        did: network.dids[account], didDoc: try didDocument(of: account), active: isActive(account),
        status: isActive(account) ? nil : .init(rawValue: statusName(of: account))))
  }

  @Sendable private func deleteSession(
    _: NoContent, _ caller: XRPCCaller
  ) throws(XRPCFault) -> XRPCReply<NoContent> {
    try live.withState { state, now throws(XRPCFault) in
      try state.sessions.close(caller.bearerToken, at: now)
    }
    return .done
  }

  @Sendable private func getSession(
    _: NoParameters, _ caller: XRPCCaller
  ) throws(XRPCFault) -> Com.Atproto.Server.GetSession.Output {
    let account = try live.account(of: caller)
    return Com.Atproto.Server.GetSession.Output(
      handle: live.standings.handle(at: account), did: network.dids[account],
      didDoc: try didDocument(of: account),
      active: isActive(account),
      status: isActive(account) ? nil : .init(rawValue: statusName(of: account)))
  }

  /// Checks the sign-in code of accounts that require one.
  private func checkCode(
    _ code: String?, of account: Int, _ fields: [HeaderField]
  ) throws(XRPCFault) {
    guard live.writing.accountsWithCode.contains(network.handles[account]) else { return }
    guard let code else {
      throw XRPCFault(
        status: 401, name: "AuthFactorTokenRequired",
        message: "A sign in code has been sent to your email address", fields: fields)
    }
    guard code == SandboxWriting.signInCode else {
      throw XRPCFault(status: 400, name: "InvalidToken", message: "Token is invalid", fields: fields)
    }
  }

  private static let wrongPassword = XRPCFault(
    status: 401, name: "AuthenticationRequired", message: "Invalid identifier or password")

  private func isActive(_ account: Int) -> Bool { live.standings.status(at: account) == .active }

  private func statusName(of account: Int) -> String {
    switch live.standings.status(at: account) {
    case .takenDown: "takendown"
    case .suspended: "suspended"
    case .active, .deactivated, .deleted: "deactivated"
    }
  }

  /// Returns the account's DID document as a value.
  func didDocument(of account: Int) throws(XRPCFault) -> DataValue {
    do { return try DataValue(encoding: directory.document(at: account)) } catch {
      throw .internalServerError
    }
  }
}

extension XRPCFault {
  /// Adds header fields to a fault.
  fileprivate init(wrong fault: XRPCFault, _ fields: [HeaderField]) {
    self = fault
    self.fields = fields
  }
}
