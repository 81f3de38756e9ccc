// SPDX-License-Identifier: Apache-2.0

import ATProtoClient
import ATProtoCore
import RelationshipWriting

/// What is said of accounts that are signed in, and of signing in and out.
extension Message {
  /// Who is about to sign in where, before the password is asked for.
  static func signingIn(_ place: SignInPlace) -> Message {
    let did = place.did.map { " (\($0))" } ?? ""
    let sources = place.verifiedBy.map(\.rawValue)
    let proof = sources.isEmpty ? "" : ", verified by \(sources.joined(separator: " and "))"
    return Message(
      .note, .signingIn, "signing in as \(place.account)\(did) at \(place.pds)\(proof)",
      [
        "account": .text(place.account), "did": .text(place.did), "pds": .text(place.pds),
        "verifiedBy": .array(sources.map(OutputValue.string)),
      ])
  }

  /// An account leads elsewhere than when it signed in last.
  ///
  /// - Parameter level: a warning where somebody is asked, an error where nobody can be.
  static func accountChanged(
    _ place: SignInPlace, before entry: KnownAccounts.Entry, _ level: Level
  ) -> Message {
    let remedy = level == .error ? "; nothing was sent. If that is right, name its PDS with --pds" : ""
    return Message(
      level, .accountChanged,
      "\(place.account) signed in as \(entry.did) at \(entry.pds) before, and leads to "
        + "\(place.did?.description ?? "nobody") at \(place.pds) now: its handle or its server has changed\(remedy)",
      [
        "account": .text(place.account), "did": .text(place.did), "pds": .text(place.pds),
        "knownDID": .text(entry.did), "knownPDS": .text(entry.pds),
      ])
  }

  static func signedIn(_ session: Session) -> Message {
    let other = session.serverHandle.map { ", which calls it \($0)" } ?? ""
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
      "the account is not active: \(session.status ?? "its server does not say why")",
      ["did": .text(session.did), "status": .text(session.status)])
  }

  static func mainPassword(_ session: Session) -> Message {
    Message(
      .warning, .mainPassword,
      "this is the account's own password, and the session may do everything the account may; an app password "
        + "does all that kith needs and can be revoked alone: make one in the settings of your app, and sign in "
        + "again with it",
      ["did": .text(session.did)])
  }

  static let noAccounts = Message(
    .note, .noAccounts, "nobody is signed in; sign in: kith login HANDLE")

  static let nothingToSignOut = Message(.note, .nothingToSignOut, "nobody was signed in")

  /// - Parameter hadEnded: whether the session had ended before.
  static func signedOut(_ did: DID, hadEnded: Bool) -> Message {
    Message(
      .note, .signedOut, "signed out \(did)" + (hadEnded ? ", whose session had ended already" : ""),
      ["did": .text(did), "hadEnded": .bool(hadEnded)])
  }

  static func notRevoked(_ did: DID, _ reason: Message?) -> Message {
    Message(
      .error, .notRevoked,
      "\(did): forgotten here, but not revoked on its server: \(reason?.text ?? "")",
      ["did": .text(did), "cause": reason?.cause ?? .null])
  }

  /// What waits from now on until the account signs in again.
  static func unfinishedWork(_ work: UnfinishedWork, of did: DID, named handle: Handle?) -> Message {
    let name = handle?.description ?? did.description
    let parts = [(work.timed, "timed change"), (work.open, "unfinished job")]
      .filter { !$0.0.isEmpty }.map { counted($0.count, $1) }
    let jobs = work.jobs
    let numbers = jobs.prefix(10).map(\.description).joined(separator: ", ") + (jobs.count > 10 ? ", …" : "")
    let undo = jobs.count == 1 ? "kith jobs undo \(jobs[0]) takes it back" : "kith jobs undo N takes one back"
    return Message(
      .warning, .unfinishedWork,
      "\(name) leaves \(parts.joined(separator: " and ")) behind (job\(jobs.count == 1 ? "" : "s") \(numbers)), "
        + "which wait\(jobs.count == 1 ? "s" : "") until it signs in again: kith login \(name); then \(undo) at once",
      [
        "did": .text(did), "handle": .text(handle), "timed": .array(work.timed.map { .job($0) }),
        "open": .array(work.open.map { .job($0) }),
      ])
  }

  static func unfinishedWorkUnknown(_ did: DID, _ reason: Message?) -> Message {
    Message(
      .warning, .unfinishedWorkUnknown,
      "whether \(did) leaves timed changes or unfinished jobs behind is not known: \(reason?.text ?? "")",
      ["did": .text(did), "cause": reason?.cause ?? .null])
  }

  /// - Parameter isNews: whether another account acted until now.
  static func actingAs(_ session: Session, isNews: Bool = false) -> Message {
    Message(
      .note, .actingAs, "acting as \(session.handle) (\(session.did))" + (isNews ? " from now on" : ""),
      ["did": .text(session.did), "handle": .text(session.handle)])
  }

  static func secondFactor(_ error: SessionError) -> Message {
    Message(.error, .secondFactor, "\(error); give its code with --auth-factor-stdin or ATP_AUTH_FACTOR")
  }

  static let noSecondFactor = Message(
    .error, .noSecondFactor, "stdin holds no code, so nothing was sent")

  /// - Parameter terminal: the path of the one that shows what is typed.
  static func echoStays(_ terminal: String) -> Message {
    Message(
      .error, .echoStays,
      "\(terminal) cannot be kept from showing what is typed; give the secret through stdin or the environment",
      ["file": .string(terminal)])
  }

  static let noPassword = Message(
    .error, .noPassword, "no terminal to ask for the password: use --password-stdin or ATP_AUTH_PASSWORD")

  static let invalidPassword = Message(
    .error, .invalidPassword, "the password is empty or far too long, so nothing was sent")

  static func otherService(_ own: ServiceURL) -> Message {
    Message(
      .error, .otherService, "--account signs calls to the account's own server, \(own), and to no other",
      ["service": .text(own)])
  }
}
