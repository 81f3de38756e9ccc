// SPDX-License-Identifier: Apache-2.0

public import KithCore

/// Why an operation cannot do what it was asked to.
public struct OperationError: CodedError {
  public static let domain = "operation"

  /// The kind of failure.
  public let code: Code
  /// What a caller can do about it.
  public let kind: FailureKind
  /// The file, account or text that is at fault.
  public let subject: String
  /// What happened, as a phrase.
  public let detail: String
  /// The values that the sentence mentions.
  public let fields: [OutputField]
  /// The error behind it, if any.
  public let underlying: (any Error)?

  init(
    _ code: Code, _ kind: FailureKind, _ subject: String, _ detail: String,
    _ fields: KeyValuePairs<String, OutputValue> = [:], underlying: (any Error)? = nil
  ) {
    self.code = code
    self.kind = kind
    self.subject = subject
    self.detail = detail
    self.fields = fields.map { OutputField($0.key, $0.value) }
    self.underlying = underlying
  }

  /// An error whose phrase names its subject.
  init(
    _ code: Code, _ kind: FailureKind, _ phrase: String, _ fields: KeyValuePairs<String, OutputValue> = [:]
  ) {
    self.init(code, kind, "", phrase, fields)
  }

  /// Whether a limit is exhausted or another process is at work, or the cause is transient.
  public var isTransient: Bool { kind == .tryLater || codedCause?.isTransient ?? false }

  /// The kinds of failure.
  public enum Code: String, Sendable, CaseIterable, CustomStringConvertible {
    // Files.
    case noColumn, repeatedColumn, noHeaderLine, noAccountColumn, unclosedQuote, textBesideQuotes,
      tooManyCells
    case elementTooLong, unclosedJSON, importEmpty, notNDJSON, actorMismatch, archiveOfX, tooManyContacts
    case contactsAreJSON, noContacts
    // Accounts, lists and repositories.
    case noRepository, unresolvedHandle, handleNotStored, noHistory
    case listNeedsSession, unknownListName, ambiguousListName, notAStarterPack, noStarterPack
    case mutesOfAnother, membersUnknown
    // Changes and jobs.
    case declined, interrupted, noSuchList, notForModeration, jobOfAnotherAccount, jobNotWrittenDown
    case jobToResumeFirst, nothingToUndo, lastChangeStays, unknownListInFile, importNeedsKind
    case importSkipped, requestChanged, requestsUnseen, graphNeedsIndex
    case emptyStarterPack, foreignPackList, noMemberShown
    // History and statistics.
    case mutesOfOthers, emptyTime, noSnapshotOf, followersUnknown
    case invalidSegmentName, segmentRefersToItself, noSuchSegment, segmentInUse
    // Questions and listings.
    case notShown, mutesUnknown, friendshipUnknown, invalidNames, invalidPredicate, predicateUndecided
    case sameAppView, edgeNotSearched, unknownToAppView
    // Feeds and notifications.
    case cursorOfAnotherFeed, noSuchSetting
    // Posts.
    case emptyPost, controlCharacter, postTooLong, markTooLong, threadTooLong, repliesClosed, quotesClosed,
      postStateUnknown, audienceUnknown
    // Audits.
    case onListNeedsIndex
    // Reports to moderators.
    case ownAccount, noSuchRecord, textTooLong
    // Calls of any method.
    case otherService, answerTooLarge, circularCursor

    public var description: String { rawValue }
  }
}
