// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Where an account would sign in: shown before a password is asked for.
public struct SignInTarget: Sendable, Hashable {
  /// The account as the user named it.
  public let account: ATIdentifier
  /// The account that the session must belong to; nil if the PDS that the user named resolves the handle.
  public let did: DID?
  /// The server that the password is sent to.
  public let pds: ServiceURL
  /// Whether the user named that server; otherwise it comes from the account's DID document.
  public let isNamed: Bool
  /// The sources that resolve the handle to the DID; empty for a DID and for a PDS that the user named.
  public let verifiedBy: [HandleSource]
  /// The PLC directory that names the server, if it is not that of the public network.
  public let directory: ServiceURL?
  /// Whether the user allowed the password to be sent in plain text, beyond this machine.
  public let allowsPlainText: Bool

  package init(
    account: ATIdentifier, did: DID?, pds: ServiceURL, isNamed: Bool, verifiedBy: [HandleSource] = [],
    directory: ServiceURL? = nil, allowsPlainText: Bool = false
  ) {
    self.account = account
    self.did = did
    self.pds = pds
    self.isNamed = isNamed
    self.verifiedBy = verifiedBy
    self.directory = directory
    self.allowsPlainText = allowsPlainText
  }
}

extension SessionDirectory {
  /// Finds out where an account would sign in, without sending anything secret.
  ///
  /// A handle is verified at its own domain, not through an AppView, and its account's document has to claim
  /// it.
  /// - Parameters:
  ///   - chosen: The PDS to use instead, whatever the handle resolves to.
  ///   - allowsPlainText: Whether the password may be sent to a named PDS over plain http, beyond this
  ///     machine, and whether a resolver or directory over plain http may decide where it is sent.
  /// - Throws: ``SessionError/Code/unverifiedHandle`` if the handle could not be verified;
  ///   ``SessionError/Code/plainText``; ``IdentityError`` if the account has no PDS; `CancellationError`.
  package func target(
    of account: ATIdentifier, at chosen: ServiceURL? = nil, allowsPlainText: Bool = false
  ) async throws -> SignInTarget {
    let target = try await found(account, at: chosen, allowsPlainText)
    guard target.pds.keepsSecrets || allowsPlainText else { throw SessionError.plainText(target.pds) }
    return target
  }

  private func found(
    _ account: ATIdentifier, at chosen: ServiceURL?, _ allowsPlainText: Bool
  ) async throws -> SignInTarget {
    if let chosen {
      // The user trusts this server with the password, and it knows the handles of its own accounts.
      let did: DID? = if case .did(let did) = account { did } else { nil }
      return SignInTarget(
        account: account, did: did, pds: chosen, isNamed: true, allowsPlainText: allowsPlainText)
    }
    let (did, sources) = try await owner(of: account)
    // Without TLS, others on the network would decide which server gets the password.
    let resolver = sources.contains(.resolver) ? identities.verifier?.resolverService : nil
    let directory = identities.directory(of: did)
    for service in [resolver, directory] {
      guard let service, !service.keepsSecrets, !allowsPlainText else { continue }
      throw SessionError.plainDecision(service)
    }
    let document = try await identities.document(of: did)
    if case .handle(let handle) = account, document.handle != handle {
      let claimed = document.handle.map { "the handle \($0)" } ?? "no handle"
      throw IdentityError(
        .malformedDocument, subject: handle,
        detail: "resolves to \(did), whose document claims \(claimed); if that is you, sign in with the DID")
    }
    guard let pds = document.pds else {
      throw IdentityError(.malformedDocument, subject: account, detail: "its DID document names no PDS")
    }
    let isNamed = named.reach(of: pds) == .anywhere
    // The transport would refuse most of these, but only after the password was asked for.
    guard isNamed || !pds.hasAddress else {
      throw IdentityError(
        .malformedDocument, subject: account,
        detail: "its PDS \(pds) is an address instead of a name; name it explicitly to sign in there")
    }
    guard isNamed || (pds.scheme == "https" && pds.port == nil) else {
      throw IdentityError(
        .malformedDocument, subject: account,
        detail:
          "its PDS \(pds) does not use https on port 443; name it explicitly to sign in there")
    }
    return SignInTarget(
      account: account, did: did, pds: pds, isNamed: isNamed, verifiedBy: sources,
      directory: directory.flatMap { $0 == .publicPLC ? nil : $0 },
      allowsPlainText: allowsPlainText)
  }

  private func owner(of account: ATIdentifier) async throws -> (DID, [HandleSource]) {
    switch account {
    case .did(let did): return (did, [])
    case .handle(let handle):
      let unasked = IdentityError(.unavailable, subject: handle, detail: "handles cannot be verified here")
      let proof = try await identities.verifier?.proof(of: handle, asking: .all)
      do {
        let did = try (proof?.owner ?? .failure(unasked)).get()
        return (did, proof?.sources(naming: did) ?? [])
      } catch {
        throw SessionError(
          .unverifiedHandle, subject: handle,
          detail: "nothing was sent: the handle could not be verified: \(error.detail)",
          account: account, underlying: error)
      }
    }
  }
}
