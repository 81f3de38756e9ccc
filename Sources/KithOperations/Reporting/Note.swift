// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore
public import KithHistory
public import KithInsights
public import KithRelationships
public import KithWriting

/// What an operation says besides its rows: a code and fields (``code``, ``fields``). How it is worded is the caller's.
public enum Note: Sendable {
  // MARK: Names
  /// A name that is not valid; left out if invalid names are to be skipped.
  case invalidName(NameComplaint, isSkipped: Bool)
  /// The number of invalid names; the last of them were not reported individually.
  case moreInvalidNames(Int, unnamed: Int)
  /// The number of names that were left out because they are not valid.
  case namesSkipped(Int)
  /// No account has the name of an exclusion.
  case excludedUnknown(String)
  /// The number of names that were given twice.
  case repetitions(Int)

  // MARK: Listings
  /// A listing has ended.
  case listed(ListingReport)
  /// A record that cannot be read.
  case unreadable(UnreadableRecords.Kind, MalformedRecord)
  /// The number of further records that cannot be read.
  case moreUnreadable(Int)

  /// The AppView does not say how many members the own lists have.
  case membersNotCounted(RelationshipError)

  // MARK: Changes
  /// A plan, before it is asked about or carried out.
  case planned(ChangePlan, isAsked: Bool)
  /// The server's clock differs; records get their dates from it.
  case clockDiffers(serverLead: Duration)
  /// Relationships with some accounts are unknown, so a plan may lack warnings.
  case relationshipsNotLearned(RelationshipError)

  /// The rows of an import that are skipped.
  case importSkipped(SkippedRows)
  /// The number of members of lists that are not exported, because their lists are gone or cannot be read.
  case membersLeftOut(Int)
  /// Graphs of other apps that the account has follows in, which are not exported.
  case followsLeftOut([FollowGraph])
  /// Whether the account has follows in graphs of other apps could not be found out.
  case otherFollowsUnknown(RelationshipError)
  /// A part of an export could not be read, or not to its end; parts are named as people name them.
  case partNotExported(String, RelationshipError)

  // MARK: Jobs
  /// A plan was recorded as a job.
  case jobCreated(JobID, steps: Int)
  /// A job waits until a time.
  case jobWaiting(JobID, until: Datetime, JobWait)
  /// A job was not fully recorded, because its process ended; it is cancelled.
  case jobAbandoned(JobID)
  /// The number of files, such as pictures, that cannot be restored: the server deletes them, and there is no copy.
  case filesNotRestorable(Int)
  /// The number of member records that are deleted with their list, although other changes created them.
  case undoneAlong(Int)
  /// A timed change that has expired was handled.
  case jobEnded(DueJobEnding)
  /// Nothing ends unattended, because a backup replaced the journal at that time; with the number of due jobs.
  case endsHeld(since: Datetime, due: Int)
  /// The store of jobs failed while a job was running; it can be resumed.
  case jobInterrupted(JobID)
  /// Edges were made on a server that does not compare commits: if another app made the same at that moment, there are
  /// two records.
  case edgesMadeUncompared

  /// What the preparation of a change has found.
  case preparing(PreparationNote)

  // MARK: Questions
  /// The mutes of the signed-in account could not be read.
  case mutesNotLearned(RelationshipError)
  /// Names of accounts could not be looked up; later rows come without.
  case namesNotLearned(RelationshipError)
  /// The number of records in a graph that are requests: the accounts that they point to approve their followers,
  /// and have not accepted them.
  case followsAwaitApproval(Int, FollowGraph)
  /// The number of accounts that the AppView does not show, so that a predicate could not be evaluated for them.
  case targetsUnseen(Int)
  /// The number of accounts for which a predicate could not be evaluated.
  case predicateUndecided(Int)

  // MARK: Snapshots
  /// The directory of `did:plc` uses plain HTTP: others on the network can change why an account counts as lost.
  case plainDirectory(ServiceURL)
  /// A snapshot lacks accounts, because some records cannot be read.
  case snapshotIncomplete(Snapshot, unreadable: Int)
  /// A snapshot failed and is ignored.
  case snapshotFailed(Snapshot, any Error)
  /// No snapshot of an account could be taken; the run continues with the others.
  case accountFailed(any CodedError)

  // MARK: Streams
  /// A stream is connected.
  case streamConnected(JetstreamConnection)
  /// A stream is not connected, and will be again.
  case streamBroken(any Error, retryIn: Duration)
  /// Events were missed: all is read again, and what happened in between has no exact time.
  case streamGap(StreamGap)
  /// The stream cannot be read; changes are found by polling alone.
  case streamUnavailable(StreamError)

  /// A part of what the daemon does has failed, and is tried again.
  case daemonTaskFailed(DaemonTask, any Error)

  // MARK: Notifications
  /// New notifications could not be read; the next question finds them.
  case notificationsNotRead(any Error, retryIn: Duration)
  /// There were more new notifications than one question reads: the number that was read, and the time of the last of them.
  case notificationsMissed(read: Int, before: Datetime)

  // MARK: Statistics
  /// Something that the numbers lack, and the error behind it, if there is one.
  case incomplete(InsightGap, because: (any Error)?)
  /// The number of followers for which a segment could not be evaluated; its count is not stored.
  case segmentUndecided(String, Int)
}

/// What is wrong with the name of an account.
public enum NameComplaint: Sendable, Hashable {
  /// It is not an identifier.
  case invalid(InputError)
  /// It is the name of a list.
  case isAList(String)
}

/// The rows of an import that lead to no change, by reason.
public struct SkippedRows: Sendable, Hashable {
  /// Followers: others cannot be made to follow.
  public let followers: Int
  /// Lists, although the rows are to be read as accounts.
  public let lists: Int
  /// Settings of posts and of apps, which are set where they belong; and texts of a profile, if rows are to be read as
  /// accounts.
  public let settings: Int
  /// The account that imports.
  public let oneself: Int
  /// Relationships that have ended since they were exported.
  public let ended: Int
  /// Follows in graphs that are not imported.
  public let otherFollows: Int
  /// The names of these graphs.
  public let otherGraphs: [String]
  /// What speaks for the account, and is imported only if it is asked for by itself.
  public let statements: Int
  /// The kinds of these rows.
  public let statementKinds: [String]

  public init(
    followers: Int = 0, lists: Int = 0, settings: Int = 0, oneself: Int = 0, ended: Int = 0,
    otherFollows: Int = 0, in otherGraphs: [String] = [], statements: Int = 0,
    of statementKinds: [String] = []
  ) {
    (self.followers, self.lists, self.settings, self.oneself) = (followers, lists, settings, oneself)
    (self.ended, self.otherFollows, self.otherGraphs) = (ended, otherFollows, otherGraphs)
    (self.statements, self.statementKinds) = (statements, statementKinds)
  }

  /// All of them.
  var count: Int { followers + lists + settings + oneself + ended + otherFollows + statements }

  /// The counts by name.
  var fields: KeyValuePairs<String, OutputValue> {
    [
      "followers": .integer(followers), "lists": .integer(lists),
      "settings": .integer(settings), "oneself": .integer(oneself),
      "ended": .integer(ended), "otherFollows": .integer(otherFollows),
      "otherGraphs": .array(otherGraphs.map { .string($0) }), "statements": .integer(statements),
      "statementKinds": .array(statementKinds.map { .string($0) }),
    ]
  }
}

/// What a listing has left out.
public struct ListingReport: Sendable {
  /// The listing.
  public let listing: ActorListing
  /// What it covers.
  public let coverage: ListingCoverage
  /// The handle of its actor, if that is the signed-in account.
  public var owner: Handle?
  /// Whether the accounts were given by name instead of by a listing.
  public var areGiven = false

  public init(
    _ listing: ActorListing, _ coverage: ListingCoverage, owner: Handle? = nil, areGiven: Bool = false
  ) {
    self.listing = listing
    self.coverage = coverage
    self.owner = owner
    self.areGiven = areGiven
  }
}
