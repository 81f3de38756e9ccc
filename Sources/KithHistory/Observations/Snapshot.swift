// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// The accounts of a listing at one time, compared with the previous snapshot.
public struct Snapshot: Sendable, Hashable {
  /// The progress of a snapshot.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// It is in progress.
    case running
    /// Everything within its ``Snapshot/extent`` was read.
    case complete
    /// The listing could not be read completely; nothing was concluded.
    case failed
    /// The process ended before the snapshot did; nothing was concluded.
    case interrupted
  }

  /// How much of the listing was read.
  public enum Coverage: String, Sendable, Hashable, CaseIterable {
    /// All of it; only full snapshots find losses.
    case full
    /// Only the newest accounts, down to those of the previous snapshot, because the profile's count showed
    /// that there were no losses.
    case incremental
  }

  /// The counts of a snapshot.
  public struct Counts: Sendable, Hashable {
    /// The profile's count; nil if no server counts these accounts, or the count could not be read.
    public var counted: Int?
    /// Accounts on the listing according to this snapshot and those before it.
    public var listed: Int
    /// New accounts since the previous snapshot; zero in the baseline.
    public var gained: Int
    /// Lost accounts.
    public var lost: Int
    /// Accounts that were not listed but are not counted as lost, because the loss could not be confirmed.
    public var unconfirmed: Int
    /// Accounts that are kept although the AppView no longer shows that they follow: their repositories still have the
    /// follow, or the loss waits for the next full snapshot.
    public var doubted: Int

    /// Creates counts.
    public init(
      counted: Int? = nil, listed: Int = 0, gained: Int = 0, lost: Int = 0, unconfirmed: Int = 0,
      doubted: Int = 0
    ) {
      self.counted = counted
      self.listed = listed
      self.gained = gained
      self.lost = lost
      self.unconfirmed = unconfirmed
      self.doubted = doubted
    }
  }

  public let id: ObservationID
  public let listing: HistoryListing
  /// The URL of the AppView that it was read from; nil if another server has the listing, or none was remembered.
  public let appview: String?
  public var state: State
  /// Nil until the snapshot is complete.
  public var extent: Coverage?
  public internal(set) var startedAt: Instant
  /// Nil while it runs, and if the process ended before it did.
  public var endedAt: Instant?
  /// When the previous complete snapshot began; nil for the first one, the baseline, whose accounts are not
  /// gains.
  public internal(set) var previousAt: Instant?
  /// When the last full snapshot without unconfirmed losses began; a lost account was still there at that
  /// time.
  public internal(set) var previousFullAt: Instant?
  public var counts: Counts
  /// Why it failed, or why no losses were concluded.
  public var note: String?
  /// The followers that were asked when they followed; nil if none were asked after the snapshot.
  public var dateSample: AccountSample?

  /// Creates a snapshot from stored values.
  public init(
    id: ObservationID, listing: HistoryListing, from appview: String? = nil, state: State = .running,
    extent: Coverage? = nil,
    startedAt: Instant,
    endedAt: Instant? = nil, previousAt: Instant?, previousFullAt: Instant?, counts: Counts = Counts(),
    note: String? = nil, dateSample: AccountSample? = nil
  ) {
    self.id = id
    self.listing = listing
    self.appview = appview
    self.state = state
    self.extent = extent
    self.startedAt = startedAt
    self.endedAt = endedAt
    self.previousAt = previousAt
    self.previousFullAt = previousFullAt
    self.counts = counts
    self.note = note
    self.dateSample = dateSample
  }

  /// What it saw of accounts that came; nil unless it is complete.
  ///
  /// An account that the AppView shows again may be anywhere in the listing, and only a full snapshot reads that far.
  public var ofGains: Observation? {
    seen(after: extent == .full ? previousFullAt ?? previousAt : previousAt)
  }

  /// What it saw of accounts that left; nil unless it is complete.
  public var ofLosses: Observation? { seen(after: previousFullAt ?? previousAt) }

  private func seen(after: Instant?) -> Observation? {
    guard state == .complete, let endedAt else { return nil }
    return Observation(id, .snapshot, after: isBaseline ? nil : after, by: endedAt)
  }

  /// Whether it is the first of its listing, whose accounts are not gains.
  public var isBaseline: Bool { previousAt == nil }
}
