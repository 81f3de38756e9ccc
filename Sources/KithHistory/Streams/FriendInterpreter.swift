// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithRelationships

/// Reads what events of a stream say of friend requests, answers and policies of watched accounts. A value without I/O.
///
/// The key of a request is the DID of its subject, so its deletion tells both accounts. That of an answer is a hash: its
/// deletion is only told if this value has read the answer.
struct FriendInterpreter: Hashable {
  /// The collections that are read.
  static let collections = [FriendAnswer.collection, FriendPolicy.collection, FriendRequest.collection]

  /// The most accounts whose answers are remembered: anyone can write answers to a watched account.
  private static let mostAuthors = 10_000

  private let watched: Set<DID>
  /// The last answer of an account to another one, by author and requester.
  private var answers: [DID: [DID: RecordKey]] = [:]

  init(of watched: Set<DID>) { self.watched = watched }

  /// Reads an event of one of the collections; others tell nothing.
  ///
  /// - Parameter isAgain: whether the event may tell of an old record, as after a repository broke. Then only a record that
  ///   claims to be newer counts as written.
  mutating func read(_ event: JetstreamEvent, isAgain: Bool, into events: inout [FriendEvent]) {
    guard case .commit(let commit) = event.kind else { return }
    let kind: FriendEvent.Kind? =
      switch commit.collection {
      case FriendRequest.collection: request(commit, of: event, isAgain)
      case FriendAnswer.collection: answer(commit, of: event, isAgain)
      case FriendPolicy.collection: policy(commit, of: event, isAgain)
      default: nil
      }
    if let kind { events.append(FriendEvent(kind, at: event.at)) }
  }

  private func request(
    _ commit: JetstreamCommit, of event: JetstreamEvent, _ isAgain: Bool
  ) -> FriendEvent.Kind? {
    guard let subject = DID("\(commit.rkey)"), subject != event.did,
      watched.contains(event.did) || watched.contains(subject)
    else { return nil }
    if let request = commit.record.flatMap({ FriendRequest($0, of: event.did, at: commit.rkey) }) {
      return isAgain && request.createdAt.instant < event.at ? nil : .requested(request)
    }
    if case .create = commit.operation { return nil }
    return .withdrawn(by: event.did, to: subject)
  }

  private mutating func answer(
    _ commit: JetstreamCommit, of event: JetstreamEvent, _ isAgain: Bool
  ) -> FriendEvent.Kind? {
    let author = event.did
    if let record = commit.record {
      guard let requester = requester(in: record, askedOf: author),
        let answer = FriendAnswer(record, of: author, at: commit.rkey)
      else { return nil }
      if answers[author] != nil || answers.count < Self.mostAuthors {
        answers[author, default: [:]][requester] = commit.rkey
      }
      return isAgain && answer.createdAt.instant < event.at
        ? nil : .accepted(answer, of: requester, by: author)
    }
    guard let requester = answers[author]?.first(where: { $0.value == commit.rkey })?.key else { return nil }
    answers[author]?[requester] = nil
    if answers[author]?.isEmpty == true { answers[author] = nil }
    return .revoked(of: requester, by: author)
  }

  /// The account whose request a record may answer; nil unless it or the author is watched, and the request is to the author.
  /// Looked at before the record is decoded, because most records are of others.
  private func requester(in record: DataValue, askedOf author: DID) -> DID? {
    guard let text = record["request"]?["uri"]?.string, let uri = ATURI(text),
      uri.collection == FriendRequest.collection, case .did(let requester) = uri.authority,
      requester != author, watched.contains(requester) || watched.contains(author),
      let key = uri.recordKey, key == FriendRequest.key(to: author)
    else { return nil }
    return requester
  }

  private func policy(
    _ commit: JetstreamCommit, of event: JetstreamEvent, _ isAgain: Bool
  ) -> FriendEvent.Kind? {
    guard commit.rkey == .literalSelf, watched.contains(event.did), !isAgain else { return nil }
    return .policy(commit.record.flatMap { FriendPolicy($0) }, of: event.did)
  }
}
