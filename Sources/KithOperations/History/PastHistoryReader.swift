// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithHistory
import KithRelationships

/// Reads the observations that `kith-sandbox past` prints, one JSON object per line, the oldest first.
///
/// - `counts`, with `actor`, `at`, `followers`, `follows` and `posts`: the counts of a profile.
/// - `snapshot`, with `actor`, `side`, `at` and maybe `counted`: the beginning of a full snapshot.
/// - `listed`, with `account` and `key`: an account that the last snapshot did not have, or not with this key.
/// - `lost`, with `account` and `evidence`: an account that is gone, and what servers answered about it. The cause is
///   concluded as after a snapshot, and evidence that proves no loss is refused.
/// - `named`, with `account` and `handle`: an account that the last snapshot had under another name.
///
/// Each may have `handle` and `displayName`: the names of its account or actor.
package struct PastHistoryReader {
  private enum Kind: String {
    case counts, snapshot, listed, lost, named
  }

  /// The fields of all kinds of lines.
  private struct Line: Decodable {
    let kind: String
    let actor: DID?
    let side: String?
    let at: Datetime?
    let counted: Int?
    let followers: Int?
    let follows: Int?
    let posts: Int?
    let account: DID?
    let key: RecordKey?
    let evidence: String?
    let handle: Handle?
    let displayName: String?
  }

  /// Why a line is refused.
  private struct Fault: Error {
    let reason: String

    init(_ reason: String) { self.reason = reason }
  }

  /// The most lines: two years of an account with 200,000 followers.
  package static let mostLines = 1_000_000

  private let file: String
  private let now: Instant
  private let mostLines: Int
  private var lines = LineReader()
  private var read = 0
  private var past = PastHistory()
  private var last = Instant.distantPast
  /// The accounts on each listing, with the keys of their records.
  private var listed: [HistoryListing: [DID: RecordKey]] = [:]
  /// The accounts that the present snapshot has mentioned.
  private var mentioned: Set<DID> = []

  /// - Parameters:
  ///   - now: no observation is later.
  ///   - mostLines: a longer file is refused.
  package init(file: String, until now: Instant, mostLines: Int = Self.mostLines) {
    (self.file, self.now, self.mostLines) = (file, now, mostLines)
  }

  /// Reads a source to its end.
  ///
  /// - Throws: `InputError` with the place of the first line that cannot be true, or is not understood; what the source
  ///   throws.
  package static func history(in source: any ByteSource, until now: Instant) async throws -> PastHistory {
    var reader = PastHistoryReader(file: source.name, until: now)
    while true {
      let piece = try await source.next()
      guard !piece.isEmpty else { return try reader.ended() }
      try reader.received(piece)
    }
  }

  /// Takes the next piece of the file.
  package mutating func received(_ piece: [UInt8]) throws {
    for record in try lines.received(piece) { try add(record) }
  }

  /// The history, once the file has ended.
  package mutating func ended() throws -> PastHistory {
    for record in try lines.ended() { try add(record) }
    return past
  }

  private mutating func add(_ record: TextRecord) throws {
    do {
      read += 1
      guard read <= mostLines else { throw Fault("more than \(mostLines) observations") }
      let line: Line
      do { line = try JSONCoding.decode(Line.self, from: Array(record.text.utf8)) } catch {
        throw Fault("\(DecodingFault(error))")
      }
      switch Kind(rawValue: line.kind) {
      case .counts?: try addCounts(line)
      case .snapshot?: try addSnapshot(line)
      case .listed?: try addListed(line)
      case .lost?: try addLost(line)
      case .named?: try addNamed(line)
      case nil: throw Fault("unknown kind \"\(line.kind)\"")
      }
      try addNames(in: line)
    } catch let fault as Fault {
      throw InputError(
        text: record.text, naming: "observation", reason: fault.reason, place: "\(file):\(record.line)")
    }
  }

  private mutating func addCounts(_ line: Line) throws {
    guard let actor = line.actor, let followers = line.followers, let follows = line.follows,
      let posts = line.posts
    else { throw Fault("needs actor, followers, follows and posts") }
    let at = try moment(of: line)
    for count in [followers, follows, posts] { try check(count) }
    guard past.counts[actor]?.last?.at != at else { throw Fault("its counts at this time came before") }
    let counts = AccountView.Counts(followers: followers, follows: follows, posts: posts)
    past.counts[actor, default: []].append(Sample(at: at, counts))
  }

  private mutating func addSnapshot(_ line: Line) throws {
    guard let actor = line.actor, let side = line.side else { throw Fault("needs actor and side") }
    guard let side = HistoryListing.Side(rawValue: side), [.followers, .follows, .blocks].contains(side)
    else {
      throw Fault("unknown side \"\(side)\"")
    }
    let (at, listing) = (try moment(of: line), HistoryListing(side, of: actor))
    if let counted = line.counted { try check(counted) }
    guard past.snapshots.last(where: { $0.listing == listing })?.at != at else {
      throw Fault("a snapshot of this side at this time came before")
    }
    past.snapshots.append(PastHistory.Snapshot(listing, at: at, counted: line.counted))
    mentioned = []
  }

  private mutating func addListed(_ line: Line) throws {
    guard let account = line.account, let key = line.key else { throw Fault("needs account and key") }
    let listing = try listing(mentioning: account)
    guard listed[listing]?[account] != key else { throw Fault("the account is listed already") }
    listed[listing, default: [:]][account] = key
    past.snapshots[past.snapshots.count - 1].listed.append(HistoryEdge(account, rkey: key))
  }

  private mutating func addLost(_ line: Line) throws {
    guard let account = line.account, let text = line.evidence else {
      throw Fault("needs account and evidence")
    }
    let listing = try listing(mentioning: account)
    guard listed[listing]?.removeValue(forKey: account) != nil else {
      throw Fault("the account was not listed")
    }
    // Parsing leaves out what it does not know.
    guard let evidence = Evidence(text), evidence.description == text else { throw Fault("unknown evidence") }
    guard let cause = Self.cause(of: evidence, on: listing.side) else {
      throw Fault("the evidence proves no loss")
    }
    past.snapshots[past.snapshots.count - 1].losses.append(HistoryLoss(account, cause, evidence))
  }

  private mutating func addNamed(_ line: Line) throws {
    guard let account = line.account, line.handle != nil else { throw Fault("needs account and handle") }
    let listing = try listing(mentioning: account)
    guard listed[listing]?[account] != nil else { throw Fault("the account was not listed") }
  }

  private mutating func addNames(in line: Line) throws {
    guard let account = line.account ?? line.actor, let handle = line.handle else {
      guard line.displayName == nil else { throw Fault("a display name without a handle") }
      return
    }
    past.names.append(AccountView(account, handle: handle, displayName: line.displayName))
  }

  private static func cause(of evidence: Evidence, on side: HistoryListing.Side) -> LossCause? {
    switch side {
    case .followers:
      guard case .lost(let cause) = LossVerdict(follower: evidence) else { return nil }
      return cause
    case .follows: return evidence.has(.noRecord) ? .unfollowed : nil
    case .blocks: return evidence.has(.noRecord) ? .removed : nil
    case .mutes, .members: return nil
    }
  }

  /// The listing of the present snapshot, which mentions the account for the first time.
  private mutating func listing(mentioning account: DID) throws -> HistoryListing {
    guard let snapshot = past.snapshots.last else { throw Fault("no snapshot came before") }
    guard mentioned.insert(account).inserted else {
      throw Fault("this snapshot mentions the account twice")
    }
    return snapshot.listing
  }

  private mutating func moment(of line: Line) throws -> Instant {
    guard let at = line.at?.instant else { throw Fault("needs at") }
    guard at >= last else { throw Fault("earlier than the observation before it") }
    guard at <= now else { throw Fault("later than now") }
    last = at
    return at
  }

  private func check(_ count: Int) throws {
    guard count >= 0 else { throw Fault("a count below zero") }
  }
}
