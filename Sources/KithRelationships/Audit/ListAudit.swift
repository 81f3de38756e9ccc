// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore
internal import KithLexicons

/// Checks the account's lists, the records of their members, and its blocks of lists.
struct ListAudit: Sendable {
  /// Concurrent calls.
  private static let concurrency = 8

  /// Most lists of other accounts that are looked up, at one call each.
  private static let mostLookedUp = 10_000

  private let account: DID
  private let pds: XRPCClient
  private let listings: Listings

  init(of account: DID, pds: XRPCClient, listings: Listings) {
    self.account = account
    self.pds = pds
    self.listings = listings
  }

  /// - Throws: ``RepositoryError``, `CancellationError`.
  func run(
    _ findings: inout [AuditFinding], _ coverage: inout AuditCoverage, _ kinds: Set<AuditFinding.Kind>,
    _ progress: @escaping @Sendable (Int) -> Void
  ) async throws {
    let lists = try await OwnLists(of: account, client: pds)
    findings += lists.unreadable.findings
    let blocks = try await OwnEdges(.listblock, of: account, client: pds) { progress(1) }
    findings += blocks.unreadable.findings
    findings += blocks.duplicated.keys.sorted().compactMap { ATURI($0) }.map {
      blocks.duplicate($0, nil, list: $0, in: account)
    }
    if kinds.contains(.deadListBlock) { try await findDeadBlocks(blocks, lists, &findings, &coverage) }
    guard !kinds.isDisjoint(with: [.duplicate, .malformed, .orphanMembers]) else { return }
    let items = try await OwnListItems(of: account, client: pds, on: nil) { progress(1) }
    findings += items.unreadable.findings
    // Another app may have created the list since the lists were read.
    let isOrphaned = { (list: ATURI) in list.authority == .did(account) && lists[list] == nil }
    let listsNow =
      items.lists.contains(where: isOrphaned) ? try await OwnLists(of: account, client: pds) : lists
    for list in items.lists.sorted(by: { "\($0)" < "\($1)" }) {
      if isOrphaned(list), listsNow[list] == nil {
        let records = items[list].map { uri($0.rkey) }
        findings.append(
          AuditFinding(
            .orphanMembers, list: list, records: records,
            detail: records.count == 1 ? "1 record" : "\(records.count) records"))
      }
      for member in items.duplicated(on: list).sorted(by: { "\($0)" < "\($1)" }) {
        let records = items[list, member]
        findings.append(
          AuditFinding(
            .duplicate, AccountView(member), list: list, records: records.map { uri($0.rkey) },
            detail: "\(records.count) records",
            edge: records.lazy.compactMap { $0.value }.compactMap { RecordEdge($0, in: .listitem) }.first))
      }
    }
  }

  private func uri(_ rkey: RecordKey) -> ATURI {
    ATURI(authority: .did(account), collection: .listitem, recordKey: rkey)
  }

  private func findDeadBlocks(
    _ blocks: OwnEdges, _ lists: OwnLists, _ findings: inout [AuditFinding],
    _ coverage: inout AuditCoverage
  ) async throws {
    let blocked = blocks.lists.sorted { "\($0)" < "\($1)" }
    let outcomes = try await blocked.concurrentMap(atMost: Self.concurrency) { list in
      if list.authority == .did(account) { return Outcome.known(isGone: lists[list] == nil) }
      do { return .known(isGone: try await isGone(list)) } catch let error as CancellationError {
        throw error
      } catch { return .failed(error) }
    }
    for (list, outcome) in zip(blocked, outcomes) {
      switch outcome {
      case .known(isGone: true?):
        findings.append(AuditFinding(.deadListBlock, list: list, records: blocks.uris(list, in: account)))
      case .known(isGone: false?): break
      case .known(isGone: nil): coverage.add(undecided: 1, nil)
      case .failed(let error): coverage.add(undecided: 1, error)
      }
    }
  }

  /// Lists of other accounts that include the account, according to an index, and that the AppView still
  /// shows.
  ///
  /// - Throws: ``RelationshipError``, `CancellationError`.
  func findMemberships(
    _ index: BacklinkIndex, _ findings: inout [AuditFinding], _ coverage: inout AuditCoverage
  ) async throws {
    var lists: [ATURI] = []
    for try await list in index.lists(with: { account }) where list.authority != .did(account) {
      if lists.count < Self.mostLookedUp { lists.append(list) } else { coverage.add(undecided: 1, nil) }
    }
    let outcomes = try await lists.concurrentMap(atMost: Self.concurrency) { list in
      do { return Result<ListSummary?, any Error>.success(try await listings.summary(of: list)) } catch let
        error
        as CancellationError
      {
        throw error
      } catch { return .failure(error) }
    }
    for outcome in outcomes {
      switch outcome {
      case .success(let list?):
        let words =
          switch list.purpose {
          case .moderate: "moderation list"
          case .refer: "starter pack"
          case .curate, .other: "list"
          }
        findings.append(
          AuditFinding(
            .onList, AccountView(list.owner, handle: list.ownerHandle), list: list.uri,
            detail: "\(words): \(list.name)"))
      case .success(nil): break
      case .failure(let error): coverage.add(undecided: 1, error)
      }
    }
  }

  private enum Outcome: Sendable {
    /// Nil if the owner's server gives no clear answer.
    case known(isGone: Bool?)
    case failed(any Error)
  }

  /// Whether another account's list is gone for good: the owner's server has no such record, or the
  /// directory has no such owner, and the AppView does not show the list either. The list of a suspended or
  /// deactivated owner may come back. Nil if that cannot be known, such as for a `did:web` without a
  /// document.
  private func isGone(_ list: ATURI) async throws -> Bool? {
    guard list.collection == .list, let rkey = list.recordKey, let repository = listings.repository,
      case .did(let owner) = list.authority
    else { return nil }
    let isRecordGone: Bool?
    do {
      // A DID without a document does not have a repository either.
      _ = try await listings.identities.document(of: owner)
      isRecordGone = try await self.isRecordGone(rkey, of: owner, at: try await repository(owner))
    } catch let error as IdentityError where error.code == .notFound {
      isRecordGone = owner.method == "plc" ? true : nil
    }
    guard isRecordGone == true else { return isRecordGone }
    // The AppView enforces what it shows, even if the record is gone (Q20).
    return try await listings.summary(of: list) == nil ? true : nil
  }

  private func isRecordGone(_ rkey: RecordKey, of owner: DID, at server: XRPCClient) async throws -> Bool? {
    do {
      // A list is a list, whatever its picture is.
      let reader = RecordReader(of: owner, client: server)
      return try await reader.find(rkey, in: .list, reading: ReadableRecord.self) == nil
    } catch let error as RepositoryError where error.code == .refused {
      // Inactive repositories cannot be read (Q18).
      switch try await AccountStatuses.answer(about: owner, of: server) {
      case .deleted: return true
      case .deactivated, .suspended, .takenDown: return false
      default: return nil
      }
    }
  }
}
