// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KithClient
import KithCore
import KithOperations

/// `kith logout`: revokes a session and removes it here.
struct LogoutCommand: RowCommand {
  static let configuration = CommandConfiguration(
    verb: "logout",
    abstract: "Sign out: revoke the session and remove it.",
    discussion: """
      Signs out the current account, that of --account, or all. If one account is left, it becomes the \
      current one. If the server cannot be reached, the session is still removed here, and the exit code \
      reports it: a copy of the session could be used until it expires. Timed changes and unfinished jobs \
      wait until the account signs in again; they are listed.
      """)

  @Flag(help: "Sign out every account.")
  var all = false

  @OptionGroup(title: "Common options") var common: CommonOptions
  @OptionGroup(title: "Network options") var network: NetworkOptions

  var printedRow: (any PrintableRow.Type)? { nil }

  mutating func validate() throws {
    if all, common.account != nil {
      throw ValidationError("--all and --account cannot be combined; omit one of them.")
    }
  }

  mutating func run() async throws {
    let wiring = try Wiring(common, network, environment: RunContext.current.environment)
    let cost = CostReport(wiring.meter)
    defer { if common.verbose { cost.say() } }
    let sessions = try wiring.workspace.sessions()
    let accounts =
      all ? try await sessions.store.accounts() : [try await sessions.did(of: wiring.chosenAccount)]
    let current = try? await sessions.did(of: nil)
    if accounts.isEmpty, !common.quiet { StandardError.say(.nothingToSignOut) }
    var status = ExitStatus.success
    for did in accounts {
      do {
        let name = try? await sessions.session(of: .did(did)).handle
        status = status.orMoreSevere(try await signOut(did, named: name, sessions))
        await tellWhatWaits(for: did, named: name, wiring)
      } catch let error as SessionError {
        // An unusable session file does not stop the others from being signed out.
        let fault = CommandFault(error)
        fault.say()
        status = status.orMoreSevere(fault.status)
      }
    }
    if !common.quiet, let current, accounts.contains(current), let next = try? await sessions.session(of: nil)
    {
      StandardError.say(.actingAs(next, isNews: true))
    }
    if status != .success { throw CommandFault(status) }
  }

  /// Reports the jobs that now wait for a session. Neither they nor an unreadable journal prevent signing
  /// out.
  private func tellWhatWaits(for did: DID, named handle: Handle?, _ wiring: Wiring) async {
    do {
      let work = try await wiring.unfinishedWork(of: did)
      guard !work.isEmpty else { return }
      StandardError.say(.unfinishedWork(work, of: did, named: handle))
    } catch {
      let fault = CommandFault(any: error) ?? CommandFault(.fileTrouble, Message(other: error))
      StandardError.say(.unfinishedWorkUnknown(did, fault.said))
    }
  }

  private func signOut(
    _ did: DID, named handle: Handle?, _ sessions: SessionDirectory
  ) async throws -> ExitStatus {
    switch try await sessions.signOut(did) {
    case .revoked:
      if !common.quiet { StandardError.say(.signedOut(did, named: handle, hadEnded: false)) }
      return .success
    case .hadEnded:
      if !common.quiet { StandardError.say(.signedOut(did, named: handle, hadEnded: true)) }
      return .success
    case .notRevoked(let error):
      let fault = CommandFault(any: error) ?? CommandFault(.unavailable, Message(other: error))
      StandardError.say(.notRevoked(did, named: handle, fault.said))
      return fault.status
    }
  }
}
