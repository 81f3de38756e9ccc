// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

/// Adds to another source's answers whether the viewer mutes each target; whole mutes and mutes by a list
/// count alike (Q9).
///
/// Only the viewer's own AppView knows. For the first 100 targets it reads their profiles, 25 per call and beside the
/// relationships. For more targets it takes fewer calls to read the viewer's mute list, one page after the other, which is
/// complete if no list is muted; an account that the AppView does not show then counts as not muted. The list is kept as
/// long as answers are cached by default. If neither can be read, the other facts are returned with
/// ``RelationshipInfo/mutesFault``.
public struct MutingRelationshipSource: RelationshipSource {
  /// The most targets whose profiles are read: as many calls as the list of an account with some hundred mutes takes, but
  /// all at once.
  package static let profiledTargets = 4 * HandleResolver.batchSize

  private let base: any RelationshipSource
  private let viewer: DID
  private let mutes: ExpiringValue<ViewerMutes>

  public var batchSize: Int { base.batchSize }
  public var existenceBatchSize: Int { base.existenceBatchSize }

  /// Creates a source that wraps another one and asks the AppView about mutes.
  ///
  /// - Parameter client: a client signed in as the viewer.
  public init(_ base: any RelationshipSource, viewer: DID, client: XRPCClient) {
    self.base = base
    self.viewer = viewer
    mutes = ExpiringValue(client.time) { ViewerMutes(of: viewer, client: client) }
  }

  public func relationships(of actor: DID, with targets: [DID]) async throws -> [RelationshipFinding] {
    guard actor == viewer else { return try await base.relationships(of: actor, with: targets) }
    async let known = mutes.value.areMuted(targets)
    let findings = try await base.relationships(of: actor, with: targets)
    let muted = try await known
    return zip(targets, findings).map { target, finding in
      guard case .known(let info) = finding else { return finding }
      switch muted[target] {
      case .success(let isMuted)?: return .known(info.muted(isMuted))
      case .failure(let error)?: return .known(info.muted(nil, fault: error))
      case nil: return finding
      }
    }
  }

  public func existing(among accounts: [DID]) async throws -> ExistenceFinding {
    try await base.existing(among: accounts)
  }

  public func forget() {
    base.forget()
    mutes.forget()
  }
}

/// What is known about the viewer's mutes.
private actor ViewerMutes {
  /// Limits reading the mute list: 1,000 mutes.
  private static let mostPages = 10
  private let viewer: DID
  private let client: XRPCClient
  private var asked = 0
  /// All muted accounts; nil if the list is incomplete.
  private var list: Task<Set<DID>?, Never>?

  init(of viewer: DID, client: XRPCClient) {
    self.viewer = viewer
    self.client = client
  }

  /// Whether each target is muted; accounts that the AppView does not show are left out.
  ///
  /// - Throws: `CancellationError`.
  func areMuted(_ targets: [DID]) async throws -> [DID: Result<Bool, RelationshipError>] {
    asked += targets.count
    if asked > MutingRelationshipSource.profiledTargets, let all = await wholeList() {
      return Dictionary(targets.map { ($0, .success(all.contains($0))) }) { first, _ in first }
    }
    return try await MuteStates(client: client).outcomes(of: targets).compactMapValues { outcome in
      switch outcome {
      case .success(let state): state.map { .success($0.isWhole) }
      case .failure(let error): .failure(error)
      }
    }
  }

  private func wholeList() async -> Set<DID>? {
    let reading = list ?? Task { await read() }
    list = reading
    return await reading.value
  }

  private func read() async -> Set<DID>? {
    let states = MuteStates(client: client)
    guard (try? await states.hasMutedList()) == false else { return nil }
    var all: Set<DID> = []
    var pages = Listings(client).pages(of: .mutes(of: .did(viewer))).makeAsyncIterator()
    for _ in 0..<Self.mostPages {
      guard let page = try? await pages.nextPage() else { return nil }
      all.formUnion(page.map(\.account))
      if pages.isAtEnd { return all }
    }
    return nil
  }
}

extension MuteState {
  /// Whether all posts of the account are hidden, by a direct mute or by a list.
  fileprivate var isWhole: Bool {
    switch direct {
    case .scope(.everything), .hidden: true
    case .absent, .scope: list != nil
    }
  }
}
