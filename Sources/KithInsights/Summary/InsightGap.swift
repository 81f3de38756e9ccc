// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Something that the numbers lack. A report words it; other readers have its code.
public enum InsightGap: Sendable, Hashable {
  /// A part of the data could not be read to its end; why, as a phrase.
  case partMissing(InsightPart, reason: String)
  /// Some lookups of a part failed.
  case partPartial(InsightPart)
  /// Only some dates of the wanted followers could be read; why, as a phrase.
  case datesMissing(dated: Int, wanted: Int, reason: String)
  /// Metrics that stored data cannot show.
  case metricsNeedServers([InsightMetric])
  /// Stored data knows blocks of the account only for lost followers.
  case blockersNeedServers
  /// Another process is taking a snapshot of a listing, so the numbers are those of the last one.
  case snapshotInProgress(listing: String)
  /// The snapshot of a listing failed, so the numbers are those of an earlier one; why, as a phrase.
  case snapshotFailed(listing: String, reason: String)

  /// The counts of this time are in doubt, because the AppView contradicted itself; earlier ones are used.
  case countsDoubted(at: Instant)
  /// The count of followers has changed since they were last listed, so who came and left since then is not known.
  case listingOld(since: Instant, change: Int)
  /// The profile could not be read, so its counts are those of an earlier time; why, as a phrase.
  case countsOld(since: Instant, reason: String)

  /// What kind of gap it is.
  public enum Code: String, Sendable, CaseIterable {
    case insightPartMissing, insightPartPartial, datesNotLearned, metricsNeedServers, blockersNeedServers
    case snapshotInProgress, snapshotFailed, countsOld, countsDoubted, listingOld
  }

  /// What kind of gap it is.
  public var code: Code {
    switch self {
    case .partMissing: .insightPartMissing
    case .partPartial: .insightPartPartial
    case .datesMissing: .datesNotLearned
    case .metricsNeedServers: .metricsNeedServers
    case .blockersNeedServers: .blockersNeedServers
    case .snapshotInProgress: .snapshotInProgress
    case .snapshotFailed: .snapshotFailed
    case .countsOld: .countsOld
    case .countsDoubted: .countsDoubted
    case .listingOld: .listingOld
    }
  }
}

/// A part of the data from which statistics are computed. The raw values are the words for it in a sentence.
public enum InsightPart: String, Sendable, Hashable, CaseIterable {
  case posts
  case reactions = "reactions to posts"
  case profiles = "profiles of followers"
  case activity = "activity of followers"
  case latestPosts = "latest posts of followers"
  case influence = "follows of followers"
  case blocks = "blocks of the account"
}

extension InsightGap {
  /// What a report says about it.
  var sentence: String {
    switch self {
    case .partMissing(let part, let reason): "Incomplete: \(part.rawValue) (\(reason))."
    case .partPartial(let part): "Some lookups failed: \(part.rawValue)."
    case .datesMissing(let dated, let wanted, let reason):
      "Only \(dated) of \(wanted) followers have a follow date (\(reason))."
    case .metricsNeedServers(let metrics):
      "Computed from stored snapshots, without: \(metrics.map(\.rawValue).joined(separator: ", "))."
    case .blockersNeedServers: "Blocks of the account are known only for lost followers."
    case .snapshotInProgress(let listing):
      "The numbers of \(listing) are those of the last snapshot; a new one was being taken."
    case .snapshotFailed(let listing, let reason):
      "The numbers of \(listing) are those of an earlier snapshot; a new one failed (\(reason))."
    case .countsOld(let since, let reason):
      "The counts are those of \(Datetime(at: since)), because the profile could not be read (\(reason))."
    case .countsDoubted(let moment):
      "The counts of \(Datetime(at: moment)) are in doubt and are not used: the AppView that showed them lacked "
        + "followers that are still there."
    case .listingOld(let since, let change):
      "Followers were last listed at \(Datetime(at: since)), and their count has changed by "
        + "\(ValueKind.count.signedText(Double(change))) since: who came and left since then is not known."
    }
  }
}
