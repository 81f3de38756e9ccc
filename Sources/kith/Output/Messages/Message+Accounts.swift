// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithOperations
import KithWriting

/// Messages about signed-in accounts, and about signing in and out.
extension Message {
  /// Names the account and its server, before the password prompt.
  static func signingIn(_ place: SignInTarget) -> Message {
    let did = place.did.map { " (\($0))" } ?? ""
    let sources = place.verifiedBy.map(\.rawValue)
    let proof = sources.isEmpty ? "" : ", verified by \(sources.joined(separator: " and "))"
    let directory = place.directory.map { ", according to the directory \($0)" } ?? ""
    return Message(
      .note, .signingIn, "signing in as \(place.account)\(did) at \(place.pds)\(proof)\(directory)",
      [
        "account": .text(place.account), "did": .text(place.did), "pds": .text(place.pds),
        "verifiedBy": .array(sources.map(OutputValue.string)), "directory": .text(place.directory),
      ])
  }

  /// The account resolves to another DID or server than at its last sign-in.
  ///
  /// - Parameter level: a warning if the user can be asked, otherwise an error.
  static func accountChanged(
    _ place: SignInTarget, before entry: KnownAccounts.Entry, _ level: Level
  ) -> Message {
    let remedy = level == .error ? "; nothing was sent. If this is expected, name the PDS with --pds" : ""
    return Message(
      level, .accountChanged,
      "\(place.account) was \(entry.did) at \(entry.pds) when it last signed in, and is now "
        + "\(place.did?.description ?? "unknown") at \(place.pds): its handle or its server has changed\(remedy)",
      [
        "account": .text(place.account), "did": .text(place.did), "pds": .text(place.pds),
        "knownDID": .text(entry.did), "knownPDS": .text(entry.pds),
      ])
  }

  static func signedIn(_ session: Session) -> Message {
    let other = session.serverHandle.map { ", where its handle is \($0)" } ?? ""
    return Message(
      .note, .signedIn, "signed in as \(session.handle) (\(session.did)) at \(session.pds)\(other)",
      [
        "did": .text(session.did), "handle": .text(session.handle), "pds": .text(session.pds),
        "serverHandle": .text(session.serverHandle),
      ])
  }

  static func accountInactive(_ session: Session) -> Message {
    Message(
      .note, .accountInactive,
      "the account is not active: \(session.status ?? "the server gives no reason")",
      ["did": .text(session.did), "status": .text(session.status)])
  }

  static func mainPassword(_ session: Session) -> Message {
    Message(
      .warning, .mainPassword,
      "this is the main password, so the session has full access to the account; an app password is enough for "
        + "kith and can be revoked separately: create one in the settings of your app, and sign in again with it",
      ["did": .text(session.did)])
  }

  static let noAccounts = Message(
    .note, .noAccounts, "no account is signed in; sign in with: kith login HANDLE")

  static let nothingToSignOut = Message(.note, .nothingToSignOut, "no account was signed in")

  /// - Parameter hadEnded: whether the session had ended before.
  static func signedOut(_ did: DID, named handle: Handle? = nil, hadEnded: Bool) -> Message {
    Message(
      .note, .signedOut,
      "signed out \(handle?.description ?? did.description)"
        + (hadEnded ? ", whose session had already ended" : ""),
      ["did": .text(did), "hadEnded": .bool(hadEnded)])
  }

  static func notRevoked(_ did: DID, named handle: Handle? = nil, _ reason: Message?) -> Message {
    Message(
      .error, .notRevoked,
      "\(handle?.description ?? did.description): removed here, but not revoked on its server: \(reason?.text ?? "")",
      ["did": .text(did), "cause": reason?.cause ?? .null])
  }

  /// Jobs that wait until the account signs in again.
  static func unfinishedWork(_ work: UnfinishedWork, of did: DID, named handle: Handle?) -> Message {
    let name = handle?.description ?? did.description
    let parts = [(work.timed, "timed change"), (work.open, "unfinished job")]
      .filter { !$0.0.isEmpty }.map { counted($0.count, $1) }
    let jobs = work.jobs
    let numbers = jobs.prefix(10).map(\.description).joined(separator: ", ") + (jobs.count > 10 ? ", …" : "")
    let undo = jobs.count == 1 ? "kith jobs undo \(jobs[0])" : "kith jobs undo N"
    return Message(
      .warning, .unfinishedWork,
      "\(name) leaves \(parts.joined(separator: " and ")) behind (job\(jobs.count == 1 ? "" : "s") \(numbers)), "
        + "which wait\(jobs.count == 1 ? "s" : "") until it signs in again: kith login \(name); "
        + "to undo at once, run \(undo) after that",
      [
        "did": .text(did), "handle": .text(handle), "timed": .array(work.timed.map { .job($0) }),
        "open": .array(work.open.map { .job($0) }),
      ])
  }

  static func unfinishedWorkUnknown(_ did: DID, _ reason: Message?) -> Message {
    Message(
      .warning, .unfinishedWorkUnknown,
      "could not check whether \(did) leaves timed changes or unfinished jobs behind: \(reason?.text ?? "")",
      ["did": .text(did), "cause": reason?.cause ?? .null])
  }

  /// - Parameter isNews: whether another account was current until now.
  static func actingAs(_ session: Session, isNews: Bool = false) -> Message {
    Message(
      .note, .actingAs, "acting as \(session.handle) (\(session.did))" + (isNews ? " from now on" : ""),
      ["did": .text(session.did), "handle": .text(session.handle)])
  }

  static func secondFactor(_ error: SessionError) -> Message {
    Message(.error, .secondFactor, "\(error); pass its code with --auth-factor-stdin or ATP_AUTH_FACTOR")
  }

  static let noSecondFactor = Message(
    .error, .noSecondFactor, "no code on stdin; nothing was sent")

  /// - Parameter terminal: the path of the terminal that still echoes.
  static func echoStays(_ terminal: String) -> Message {
    Message(
      .error, .echoStays,
      "could not turn off echo on \(terminal); pass the secret on stdin or in the environment",
      ["file": .string(terminal)])
  }

  static let secretFromTerminal = Message(
    .error, .secretFromTerminal,
    "stdin is a terminal, which would show the secret; omit --password-stdin or --auth-factor-stdin to be asked "
      + "without echo")

  static let noPassword = Message(
    .error, .noPassword, "no terminal to ask for the password; use --password-stdin or ATP_AUTH_PASSWORD")

  static let invalidPassword = Message(
    .error, .invalidPassword, "the password is empty or far too long; nothing was sent")
}
