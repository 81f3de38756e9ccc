// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
public import KithOperations
import KithRelationships
public import KithWriting

extension Note {
  /// What it says, without hints; nil if there is nothing to say, as about a listing that is complete.
  public var sentence: String? { Wording.neutral.sentence(self) }
}

extension Wording {
  /// What a note says, as a sentence without a full stop; nil if there is nothing to say, as about a listing that is
  /// complete.
  public func sentence(_ note: Note) -> String? {
    switch note {
    case .invalidName(.isAList(let text), _):
      "\"\(text)\" is a list, not an account" + hinted(.showMembers)
    case .invalidName(.invalid(let error), _): self.error(error)
    case .moreInvalidNames(let count, let unnamed):
      "\(count) names are not valid (\(unnamed) of them not shown above)"
    case .namesSkipped(let count): "\(Counted.words(count, "invalid name")) skipped"
    case .excludedUnknown(let input): "excluded account \(input): no such account"
    case .repetitions(let count): "\(Counted.words(count, "duplicate")) skipped"
    case .listed(let report): words(report)
    case .unreadable(let kind, let record): kind.words(for: record)
    case .moreUnreadable(let count): "\(count) more cannot be read"
    case .membersNotCounted(let error): "could not get the sizes of the lists: \(error)"

    case .planned(let plan, _):
      "\(Counted.words(plan.requests.count, "request")), \(Counted.words(plan.affected, "change")) to make"
    case .clockDiffers(let lead): Self.clockWords(serverLead: lead)
    case .relationshipsNotLearned(let error):
      "your relationships with some accounts are unknown, so warnings may be missing: \(error)"
    case .importSkipped(let rows): words(rows)
    case .membersLeftOut(let count):
      "skipped \(Counted.words(count, "member")) of lists that are gone or cannot be read"
    case .followsLeftOut(let graphs):
      "not exported: follows in \(graphs.map(\.name).joined(separator: ", "))" + hinted(.exportGraphs(graphs))
    case .otherFollowsUnknown(let error):
      "whether there are follows in other apps, which are not exported, is unknown: \(error)"
    case .partNotExported(let part, let error): "\(part): not exported, or not to the end: \(error)"
    case .preparing(let preparation): sentence(preparation)

    case .jobCreated, .jobWaiting, .jobAbandoned, .filesNotRestorable, .undoneAlong, .jobEnded, .endsHeld,
      .jobInterrupted, .edgesMadeUncompared:
      sentence(ofJob: note)

    case .mutesNotLearned(let error): "could not read your mutes: \(self.error(error))"
    case .namesNotLearned(let error): "could not look up handles: \(error)"
    case .followsAwaitApproval(let count, let graph):
      "\(Counted.words(count, "follow")) in \(graph.name) \(count == 1 ? "is a request" : "are requests") that the "
        + "other account has not accepted yet; not counted as \(count == 1 ? "a follow" : "follows")"
    case .targetsUnseen(let count):
      "could not evaluate the predicate for \(Counted.words(count, "account")): not shown by the AppView, so it is "
        + "unknown which accounts \(count == 1 ? "it follows or blocks" : "they follow or block"); left unchanged"
    case .predicateUndecided(let count):
      "could not evaluate the predicate for \(Counted.words(count, "account")); left unchanged"

    case .plainDirectory(let directory):
      "the directory \(directory) uses plain http: others on the network can change why an account counts as lost"
    case .snapshotIncomplete(let snapshot, let unreadable):
      "snapshot \(snapshot.id) of \(snapshot.listing.words) lacks accounts: "
        + "\(Counted.words(unreadable, "record")) cannot be read"
    case .snapshotFailed(let snapshot, let error):
      "snapshot \(snapshot.id) of \(snapshot.listing.words) failed and is ignored: \(self.error(error))"
    case .accountFailed(let error): self.error(error)

    case .streamConnected(let connection):
      "connected to \(connection.host)"
        + (connection.resumedAfter.map { ", continuing after \(TimeWords.second($0.at))" } ?? "")
        + (connection.wire == .v2
          ? "" : "; it speaks the first version of Jetstream only, so all is read again each day")
    case .streamBroken(let error, let wait):
      "the stream broke off; connecting again in \(TimeWords.span(wait)): \(self.error(error))"
    case .streamGap(let gap):
      "events from \(TimeWords.second(gap.since)) to \(TimeWords.second(gap.until)) were missed (\(gap.reason.words)); all is "
        + "read again"
    case .daemonTaskFailed(let task, let error): "\(task.words); retrying: \(self.error(error))"
    case .streamUnavailable(let error):
      "no stream of events, only a question once a minute: \(self.error(error))"
    case .notificationsNotRead(let error, let wait):
      "could not read notifications; trying again in \(TimeWords.span(wait)), then less often: \(self.error(error))"
    case .notificationsMissed(let count, let moment):
      "more than \(count) notifications since the last question; those before \(TimeWords.second(moment.instant)) are not listed"

    case .incomplete(let gap, let error): words(gap, because: error)
    case .segmentUndecided(let name, let count):
      "segment \(name): could not evaluate it for \(Counted.words(count, "follower")); count not recorded"
    }
  }

  /// - Parameter serverLead: how far the server's clock is ahead; negative if it is behind.
  private static func clockWords(serverLead: Duration) -> String {
    let seconds = serverLead.components.seconds
    let difference = TimeWords.span(.seconds(seconds.magnitude))
    return "this machine's clock is \(difference) \(seconds > 0 ? "behind" : "ahead of") the server's; "
      + "records get their dates from it"
  }

  /// What the numbers of statistics lack.
  private func words(_ gap: InsightGap, because error: (any Error)?) -> String {
    let cause = error.map(self.error) ?? ""
    return switch gap {
    case .datesMissing(let dated, let wanted, _):
      "got the follow dates of only \(dated) of \(wanted) followers: \(cause)"
    case .partMissing(let part, _): "incomplete: \(part.rawValue): \(cause)"
    case .partPartial(let part): "some lookups failed: \(part.rawValue)"
    case .metricsNeedServers(let metrics):
      "not computed from stored data, because they need servers: "
        + metrics.map(\.rawValue).joined(separator: ", ")
    case .blockersNeedServers:
      "no index was asked: blocks of the account are known only for lost followers"
    case .snapshotInProgress(let listing):
      "another process is taking a snapshot of \(listing); the numbers are those of the last one"
    case .countsOld(let since, _):
      "the profile cannot be read, so the counts are those of \(Datetime(at: since)): \(cause)"
    case .countsDoubted(let moment):
      "the counts of \(Datetime(at: moment)) are in doubt and are not used: the AppView lacked followers that are "
        + "still there"
    case .listingOld(let since, let change):
      "followers were last listed at \(Datetime(at: since)), and their count has changed by "
        + "\(change > 0 ? "+" : "")\(change) since" + hinted(.refreshListings)
    case .snapshotFailed(let listing, _): "the snapshot of \(listing) failed and is ignored: \(cause)"
    }
  }
}

// MARK: Jobs

extension Wording {
  /// What an operation says about a job; nil for any other note.
  private func sentence(ofJob note: Note) -> String? {
    switch note {
    case .jobCreated(let job, let steps): "job \(job) created: \(steps) steps"
    case .jobWaiting(let job, let until, let wait): "job \(job) waits until \(until) \(Self.words(for: wait))"
    case .jobAbandoned(let job):
      "job \(job) was not fully recorded, because its process ended; nothing of it was sent, and it is cancelled"
    case .filesNotRestorable(let count): "\(Counted.words(count, "picture")) cannot be restored by an undo"
    // Deleting the list also deletes member records that other jobs created.
    case .undoneAlong(let count):
      "also deletes \(Counted.words(count, "member record")) of the list that other changes created"
    case .jobEnded(let ending): words(ending)
    case .endsHeld(let since, let due):
      "a backup took the place of the journal at \(since), so nothing ends by itself, and "
        + "\(Counted.words(due, "job")) \(due == 1 ? "is" : "are") due" + hinted(.confirmDue)
    case .jobInterrupted(let job):
      "job \(job) stopped because its journal cannot be written; fix that, then continue"
        + hinted(.resume(job), after: " with: ")
    case .edgesMadeUncompared:
      "your server does not compare commits: if another app or machine made the same change at this moment, there "
        + "are two records" + hinted(.findDuplicates)
    default: nil
    }
  }

  /// What a job waits for, as the end of a sentence.
  public static func words(for wait: JobWait) -> String {
    switch wait {
    case .budget: "for points of the write budget"
    case .rateLimit: "as the server asks"
    case .trouble(let trouble): "to try again: \(trouble)"
    }
  }

  /// What became of a timed change that has expired.
  private func words(_ ending: DueJobEnding) -> String {
    switch ending {
    case .run(let outcome, isUndo: true): outcome.sentence(in: self)
    case .run(let outcome, isUndo: false):
      "job \(outcome.summary.job.id) is not undone yet: " + outcome.sentence(in: self)
    case .elsewhere(let job, let isDone):
      isDone ? "job \(job): another process has undone it" : "job \(job): another process is undoing it"
    case .early(let job): "job \(job): left as it is; by the server's clock its end has not come"
    case .failed(let job, let error): "job \(job): \(self.error(error))"
    }
  }
}

// MARK: Records and listings

extension UnreadableRecords.Kind {
  /// Which record cannot be read, and why.
  fileprivate func words(for record: MalformedRecord) -> String {
    switch self {
    case .ownRecord: "one of your records cannot be read: \(record.uri): \(record.reason)"
    case .list: "\(record.uri) is not a list: \(record.reason)"
    case .member: "\(record.uri) does not name an account: \(record.reason)"
    case .starterPack: "\(record.uri) is not a valid starter pack: \(record.reason)"
    }
  }
}

extension HistoryListing {
  /// The listing in words: `followers`, `members of at://…`.
  package var words: String {
    side.rawValue + (list.map { " of \($0)" } ?? "")
      + (graph.flatMap { $0 == .bluesky ? nil : " (\($0.name))" } ?? "")
  }
}

extension Wording {
  /// The rows of an import that are skipped, and why.
  private func words(_ rows: SkippedRows) -> String {
    let parts = [
      rows.followers > 0
        ? "\(Counted.words(rows.followers, "follower")), because others cannot be made to follow you"
          + hinted(.followFollowers, after: " (", closedBy: ")") : nil,
      rows.lists > 0
        ? "\(Counted.words(rows.lists, "row")) about lists, because "
          + (hint(.readAsAccounts) ?? "the rows are read as accounts") : nil,
      rows.settings > 0
        ? Counted.words(rows.settings, "setting") + hinted(.setElsewhere, after: " (", closedBy: ")") : nil,
      rows.oneself > 0 ? "\(Counted.words(rows.oneself, "row")) about your own account" : nil,
      rows.ended > 0 ? "\(Counted.words(rows.ended, "row")) whose end has passed" : nil,
      rows.statements > 0
        ? "\(Counted.words(rows.statements, "row")) that speak\(rows.statements == 1 ? "s" : "") for your account"
          + hinted(
            .importStatements(count: rows.statements, kinds: rows.statementKinds), after: " (", closedBy: ")")
        : nil,
      rows.otherFollows > 0
        ? "\(Counted.words(rows.otherFollows, "follow")) in \(rows.otherGraphs.joined(separator: ", "))"
          + hinted(.importGraphs(rows.otherGraphs), after: " (", closedBy: ")") : nil,
    ].compactMap(\.self)
    return "skipped: \(parts.joined(separator: "; "))"
  }
}

extension StreamGap.Reason {
  fileprivate var words: String {
    switch self {
    case .cursorTooOld: "its host no longer has them"
    case .otherPlace: "its host went on elsewhere, as after it was built again"
    case .messageTooLarge: "a message was too large"
    }
  }
}

extension DaemonTask {
  fileprivate var words: String {
    switch self {
    case .stream: "the watched accounts are not followed"
    case .snapshots: "a snapshot could not be taken"
    case .jobs: "timed changes could not be taken back"
    }
  }
}
