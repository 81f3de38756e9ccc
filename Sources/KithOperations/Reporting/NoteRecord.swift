// SPDX-License-Identifier: Apache-2.0

public import KithCore
import KithInsights
import KithRelationships

extension Note {
  /// How important a note is. Readers may rely on the raw values.
  public enum Level: String, Sendable, CaseIterable {
    /// Something failed.
    case error
    /// The run continues, but may not do what was intended.
    case warning
    /// A fact.
    case note
  }

  /// How important it is.
  public var level: Level {
    switch self {
    case .invalidName(_, let isSkipped): isSkipped ? .warning : .error
    case .listed(let report): report.isIncomplete ? .warning : .note
    case .jobEnded(let ending): ending.level
    case .preparing(let preparation): preparation.level
    case .incomplete(let gap, _): gap.level
    case .moreInvalidNames, .unreadable, .moreUnreadable, .membersNotCounted, .relationshipsNotLearned,
      .partNotExported, .jobInterrupted, .namesNotLearned, .snapshotFailed, .accountFailed,
      .daemonTaskFailed:
      .error
    case .namesSkipped, .excludedUnknown, .clockDiffers, .membersLeftOut, .followsLeftOut,
      .otherFollowsUnknown, .filesNotRestorable, .mutesNotLearned, .targetsUnseen, .predicateUndecided,
      .plainDirectory, .snapshotIncomplete, .streamBroken, .streamGap, .streamUnavailable,
      .notificationsNotRead, .notificationsMissed, .segmentUndecided:
      .warning
    case .repetitions, .planned, .importSkipped, .jobCreated, .jobWaiting, .jobAbandoned, .undoneAlong,
      .endsHeld, .edgesMadeUncompared, .followsAwaitApproval, .streamConnected:
      .note
    }
  }

  /// The note with the time at which it was reported: for a page, a log or a daemon, which keep it.
  public func record(at moment: Instant) -> NoteRecord { NoteRecord(self, at: Datetime(at: moment)) }
}

/// A note and its time, as one object: `fields` is an object of what ``Note/fields`` has.
public struct NoteRecord: OperationRow {
  public let note: Note
  public let at: Datetime

  init(_ note: Note, at moment: Datetime) { (self.note, at) = (note, moment) }

  public static let fieldNames = ["code", "level", "at", "fields"]

  public func write(to fields: inout RowEncoder) {
    fields.text(note.code)
    fields.text(note.level.rawValue)
    fields.text(at.description)
    fields.value(.object(note.fields))
  }
}

extension ListingReport {
  /// Whether accounts or details are missing, not only added.
  fileprivate var isIncomplete: Bool {
    coverage.missing + coverage.undecided + coverage.unseen + coverage.deleted > 0 || coverage.fault != nil
  }
}

extension DueJobEnding {
  fileprivate var level: Note.Level {
    if case .early = self { .warning } else { failure == nil ? .note : .error }
  }
}

extension InsightGap {
  fileprivate var level: Note.Level {
    switch self {
    case .metricsNeedServers, .blockersNeedServers, .listingOld: .note
    case .datesMissing, .partMissing, .partPartial, .snapshotInProgress, .countsOld, .countsDoubted: .warning
    case .snapshotFailed: .error
    }
  }
}
