// SPDX-License-Identifier: Apache-2.0

import KithClient
import KithCore
import KithHistory
import KithInsights
public import KithRelationships
import KithWriting

extension Note {
  /// What kind of note it is. Readers may rely on the raw values: codes are added, but never change.
  public enum Code: String, Sendable, CaseIterable {
    case isAList, namesInvalid, namesSkipped, excludedUnknown, repetitions
    case listingCoverage, unreadableRecord, membersNotCounted
    case planned, clockDiffers, relationshipsNotLearned, importSkipped, membersLeftOut
    case followsLeftOut, otherFollowsUnknown, partNotExported
    case jobCreated, jobWaiting, jobAbandoned, undoneAlong, jobEnded, endsHeld, jobInterrupted
    case edgesMadeUncompared, filesNotRestorable
    case mutesNotLearned, handlesNotLearned, followsAwaitApproval, targetsUnseen, predicateUndecided
    case plainDirectory, snapshotIncomplete, snapshotFailed
    case streamConnected, streamBroken, streamGap, streamUnavailable, daemonTaskFailed
    case notificationsNotRead, notificationsMissed
    case segmentUndecided
    case noInput, noneMatch, accountsExcluded, peopleFound, contactsMatched, approvalNotAsked
    case followBackScreened, followBackPaced, friendsArePublic, friendsSynced, audienceCompared
    case listReach, listIsPublic, importPreview, statementsAreApart, postPreview, reported
  }

  /// A ``Code``, an `InsightGap.Code`, or the code of the error that the note is about.
  public var code: String { content.code }

  /// The values that a sentence about it mentions.
  public var fields: [OutputField] { content.fields }

  /// The error that it is about; nil if there is none.
  public var underlying: (any Error)? {
    switch self {
    case .listed(let report): report.coverage.fault
    case .membersNotCounted(let error), .relationshipsNotLearned(let error), .otherFollowsUnknown(let error),
      .partNotExported(_, let error), .mutesNotLearned(let error), .namesNotLearned(let error):
      error
    case .snapshotFailed(_, let error): error
    case .accountFailed(let error): error
    case .streamBroken(let error, _), .notificationsNotRead(let error, _): error
    case .daemonTaskFailed(_, let error): error
    case .streamUnavailable(let error): error
    case .jobEnded(.failed(_, let error)): error
    case .incomplete(_, let error): error
    default: nil
    }
  }

  private var content: (code: String, fields: [OutputField]) {
    func note(_ code: Code, _ fields: KeyValuePairs<String, OutputValue>) -> (String, [OutputField]) {
      (code.rawValue, fields.map { OutputField($0.key, $0.value) })
    }
    switch self {
    case .invalidName(.isAList(let text), _): return note(.isAList, ["input": .string(text)])
    case .invalidName(.invalid(let error), _): return content(of: error)
    case .moreInvalidNames(let count, let unnamed):
      return note(.namesInvalid, ["count": .integer(count), "unnamed": .integer(unnamed)])
    case .namesSkipped(let count): return note(.namesSkipped, ["count": .integer(count)])
    case .excludedUnknown(let input): return note(.excludedUnknown, ["input": .string(input)])
    case .repetitions(let count): return note(.repetitions, ["count": .integer(count)])
    case .listed(let report): return (Code.listingCoverage.rawValue, report.fields)
    case .unreadable(_, let record): return note(.unreadableRecord, ["uri": .string(record.uri)])
    case .moreUnreadable(let count): return note(.unreadableRecord, ["count": .integer(count)])
    case .membersNotCounted(let error): return note(.membersNotCounted, ["cause": .cause(error)])

    case .planned(let plan, _):
      return note(
        .planned,
        [
          "account": .text(plan.account), "requests": .integer(plan.requests.count),
          "affected": .integer(plan.affected), "steps": .integer(plan.stepCount),
          "points": .integer(plan.points),
        ])
    case .clockDiffers(let lead):
      return note(.clockDiffers, ["serverLeadSeconds": .number(lead.components.seconds)])
    case .relationshipsNotLearned(let error):
      return note(.relationshipsNotLearned, ["cause": .cause(error)])
    case .importSkipped(let rows): return note(.importSkipped, rows.fields)
    case .membersLeftOut(let count): return note(.membersLeftOut, ["count": .integer(count)])
    case .followsLeftOut(let graphs):
      return note(.followsLeftOut, ["graphs": .array(graphs.map { .string($0.name) })])
    case .otherFollowsUnknown(let error): return note(.otherFollowsUnknown, ["cause": .cause(error)])
    case .partNotExported(let part, let error):
      return note(.partNotExported, ["part": .string(part), "cause": .cause(error)])

    case .jobCreated(let job, let steps):
      return note(.jobCreated, ["job": .job(job), "steps": .integer(steps)])
    case .jobWaiting(let job, let until, let wait):
      return note(
        .jobWaiting, ["job": .job(job), "until": .text(until), "reason": .string(wait.reasonCode)])
    case .jobAbandoned(let job): return note(.jobAbandoned, ["job": .job(job)])
    case .filesNotRestorable(let count): return note(.filesNotRestorable, ["count": .integer(count)])
    case .undoneAlong(let count): return note(.undoneAlong, ["count": .integer(count)])
    case .endsHeld(let since, let due):
      return note(.endsHeld, ["since": .string(since.description), "due": .integer(due)])
    case .jobEnded(let ending): return (Code.jobEnded.rawValue, ending.fields)
    case .jobInterrupted(let job): return note(.jobInterrupted, ["job": .job(job)])
    case .edgesMadeUncompared: return note(.edgesMadeUncompared, [:])

    case .preparing(let preparation): return (preparation.code.rawValue, preparation.fields)

    case .mutesNotLearned(let error): return note(.mutesNotLearned, ["cause": .cause(error)])
    case .namesNotLearned(let error): return note(.handlesNotLearned, ["cause": .cause(error)])
    case .followsAwaitApproval(let count, let graph):
      return note(.followsAwaitApproval, ["count": .integer(count), "graph": .string(graph.name)])
    case .targetsUnseen(let count): return note(.targetsUnseen, ["count": .integer(count)])
    case .predicateUndecided(let count):
      return note(.predicateUndecided, ["count": .integer(count), "cause": .null])

    case .plainDirectory(let directory): return note(.plainDirectory, ["directory": .text(directory)])
    case .snapshotIncomplete(let snapshot, let unreadable):
      return (
        Code.snapshotIncomplete.rawValue,
        snapshot.fields + [OutputField("unreadable", .integer(unreadable))]
      )
    case .snapshotFailed(let snapshot, let error):
      return (Code.snapshotFailed.rawValue, snapshot.fields + [OutputField("cause", .cause(error))])
    case .accountFailed(let error): return content(of: error)

    case .streamConnected(let connection):
      return note(
        .streamConnected,
        [
          "host": .string(connection.host), "protocol": .string(connection.wire.rawValue),
          "after": .text(connection.resumedAfter.map { Datetime(at: $0.at) }),
        ])
    case .streamBroken(let error, let wait):
      return note(.streamBroken, ["retryIn": .milliseconds(wait), "cause": .cause(error)])
    case .streamGap(let gap):
      return note(
        .streamGap,
        [
          "since": .text(Datetime(at: gap.since)), "until": .text(Datetime(at: gap.until)),
          "reason": .string(gap.reason.rawValue),
        ])
    case .streamUnavailable(let error): return note(.streamUnavailable, ["cause": .cause(error)])
    case .notificationsNotRead(let error, let wait):
      return note(.notificationsNotRead, ["retryIn": .milliseconds(wait), "cause": .cause(error)])
    case .notificationsMissed(let count, let moment):
      return note(.notificationsMissed, ["read": .integer(count), "before": .text(moment)])

    case .daemonTaskFailed(let task, let error):
      return note(.daemonTaskFailed, ["task": .string(task.rawValue), "cause": .cause(error)])

    case .incomplete(let gap, let error): return (gap.code.rawValue, gap.fields(because: error))
    case .segmentUndecided(let name, let count):
      return note(.segmentUndecided, ["name": .string(name), "undecided": .integer(count)])
    }
  }

  private func content(of error: any Error) -> (code: String, fields: [OutputField]) {
    let facts = ErrorFields(error)
    return (facts.code, facts.fields)
  }
}

/// Encoded as one object: `code`, then the fields.
extension Note: Encodable {
  public func encode(to encoder: any Encoder) throws {
    try OutputValue.object([OutputField("code", .string(code))] + fields).encode(to: encoder)
  }
}

extension OutputValue {
  /// The code and fields of an error, or null.
  public static func cause(_ error: (any Error)?) -> OutputValue {
    error.map { ErrorFields($0).value } ?? .null
  }
}

extension ListingReport {
  /// What is counted, by name.
  var fields: [OutputField] {
    let fields: KeyValuePairs<String, OutputValue> = [
      "listing": .string(areGiven ? "given" : listing.kind), "of": .string(listing.name),
      "graph": .text(listing.graph?.name),
      "counted": .number(coverage.counted),
      "listed": .integer(coverage.listed), "hidden": .integer(coverage.hidden),
      "gone": .integer(coverage.gone), "unnamed": .integer(coverage.unnamed),
      "unrecorded": .integer(coverage.unrecorded), "unreadable": .integer(coverage.malformed.count),
      "notListable": .integer(coverage.missing), "undecided": .integer(coverage.undecided),
      "notShown": .integer(coverage.unseen), "deleted": .integer(coverage.deleted),
      "unreadableElements": .integer(coverage.unreadable),
      "unconfirmed": .integer(coverage.unconfirmed), "otherSubjects": .integer(coverage.otherSubjects),
      "aboutItself": .integer(coverage.aboutItself),
      "isLowerBound": .bool(coverage.isLowerBound),
      "cause": .cause(coverage.fault),
    ]
    return fields.map { OutputField($0.key, $0.value) }
  }
}

extension ActorListing {
  /// The word for it in rows and sentences.
  public var kind: String {
    switch self {
    case .follows: "follows"
    case .followers: "followers"
    case .members: "members"
    case .blocks: "blocks"
    case .mutes: "mutes"
    case .blockers: "blockers"
    case .graph(let listing): listing.side.kind
    case .reactions(let reaction, _): reaction.rawValue
    }
  }

  /// The account, list or post that it belongs to.
  public var name: String {
    switch self {
    case .follows(let actor), .followers(let actor), .blocks(let actor), .mutes(let actor),
      .blockers(let actor):
      actor.description
    case .graph(let listing): listing.actor.description
    case .members(let list): list.description
    case .reactions(_, let post): post.description
    }
  }
}

extension GraphListing.Side {
  fileprivate var kind: String {
    switch self {
    case .follows, .notFollowingBack, .common: "follows"
    case .followers, .notFollowedBack: "followers"
    case .mutuals: "mutuals"
    }
  }
}

extension Snapshot {
  fileprivate var fields: [OutputField] {
    [
      OutputField("snapshot", .number(id.number)), OutputField("did", .text(listing.actor)),
      OutputField("side", .string(listing.side.rawValue)),
    ]
  }
}

extension InsightGap {
  fileprivate func fields(because error: (any Error)?) -> [OutputField] {
    func fields(_ pairs: KeyValuePairs<String, OutputValue>) -> [OutputField] {
      pairs.map { OutputField($0.key, $0.value) }
    }
    switch self {
    case .partMissing(let part, _): return fields(["part": .string(part.rawValue), "cause": .cause(error)])
    case .partPartial(let part): return fields(["part": .string(part.rawValue)])
    case .datesMissing(let dated, let wanted, _):
      return fields(["dated": .integer(dated), "wanted": .integer(wanted), "cause": .cause(error)])
    case .metricsNeedServers(let metrics):
      return fields(["metrics": .array(metrics.map { .string($0.rawValue) })])
    case .blockersNeedServers: return []
    case .snapshotInProgress(let listing): return fields(["side": .string(listing)])
    case .countsOld(let since, _):
      return fields(["since": .text(Datetime(at: since)), "cause": .cause(error)])
    case .countsDoubted(let moment): return fields(["at": .text(Datetime(at: moment))])
    case .listingOld(let since, let change):
      return fields(["since": .text(Datetime(at: since)), "change": .integer(change)])
    case .snapshotFailed(let listing, _): return fields(["side": .string(listing), "cause": .cause(error)])
    }
  }
}

extension JobWait {
  /// What it waits for, as a code.
  fileprivate var reasonCode: String {
    switch self {
    case .budget: "budget"
    case .rateLimit: "rateLimit"
    case .trouble: "trouble"
    }
  }
}

extension DueJobEnding {
  fileprivate var fields: [OutputField] {
    switch self {
    case .run(let outcome, let isUndo):
      [
        OutputField("job", .job(outcome.summary.job.id)), OutputField("end", .string(outcome.endCode)),
        OutputField("isUndo", .bool(isUndo)),
      ]
    case .elsewhere(let job, let isDone):
      [OutputField("job", .job(job)), OutputField("end", .string(isDone ? "done" : "elsewhere"))]
    case .early(let job):
      [OutputField("job", .job(job)), OutputField("end", .string("early"))]
    case .failed(let job, let error):
      [
        OutputField("job", .job(job)), OutputField("end", .string("failed")),
        OutputField("cause", .cause(error)),
      ]
    }
  }
}
