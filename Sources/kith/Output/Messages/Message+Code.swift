// SPDX-License-Identifier: Apache-2.0

extension Message {
  /// The codes of the command's own messages. Scripts may rely on them: codes are added, but never change.
  enum Code: String, CaseIterable, Sendable {
    // The command line, and the process.
    case usage, noArguments, unknownCommand, unknownMessageForm, internalError, endedByDeadline,
      log
    // Files and streams.
    case systemError, tooFewDescriptors, isAFolder, notUnicode, noHome, certificates
    // Names and values in arguments.
    case invalidInput, invalidAccountOption, invalidService, invalidServiceReference, serviceWithoutScheme,
      invalidList
    case invalidParameter, invalidMethod, isAList, namesInvalid, namesSkipped, accountsExcluded,
      noneMatch,
      excludedUnknown, unknownField, repeatedField, noFields, repetitions, noInput
    case noFailedRows
    // Confirmations.
    case needsConfirmation
    // Accounts.
    case signingIn, accountChanged, signedIn, accountInactive, noAccounts, nothingToSignOut, signedOut,
      notRevoked, actingAs, unfinishedWork, unfinishedWorkUnknown
    case mainPassword, secondFactor, noSecondFactor, echoStays, noPassword, secretFromTerminal,
      invalidPassword
    // Checks.
    case hiddenTargets, targetsUnseen
    case lookupsFailed, notFound, checkSummary, methodCost, totalCost, planAssumptions
    case blockersNeedIndex
    case listingCoverage, listingContinued, listingSummary, emptyFilter, predicateUndecided,
      invalidSince
    case mutesNotLearned
    // Changes.
    case clockDiffers, changeSummary, changeFault, massChange, pointsNeeded, undoneLater, unreadableRecord
    case relationshipsNotLearned
    case reported, reportInDoubt, blockHint
    // Lists.
    case listReach
    case emptyStarterPack, noMemberShown, foreignPackList, starterPack, membersUnknown,
      membersNotCounted,
      handlesNotLearned
    // Jobs.
    case jobCreated, jobPaused, jobCancelled, jobStopped, jobInterrupted, jobWaiting, jobDone, jobItemsSkipped
    case jobEndedElsewhere
    case jobItemsFailed, nothingFailed, jobsPruned, jobsHidden, noJobs, jobPassedOver,
      undoHint,
      undoneAlong
    case jobUndone, jobAbandoned
    // History.
    case plainDirectory, snapshotFailed, snapshotIncomplete, snapshotSummary,
      historySummary,
      notExamined, auditSummary,
      present, neverSeen
    case noneWatched, watched, unwatched
    case noFiles, soundFiles, damagedFiles, backedUp, vacuumed, historyPruned, historyForgotten
    // Analytics.
    case invalidTimeZone, formatOfReports, emptyTime, datesNotLearned
    case insightPartMissing, insightPartPartial, metricsNeedServers, blockersNeedServers, snapshotInProgress
    case insightSummary, reportWritten, noGoal, goalRemoved
    case noSegments, segmentAdded, unknownFileType, segmentsRemoved
    case segmentUndecided
    // Exports and imports.
    case exportSummary, membersLeftOut, importPreview, importSkipped
    // The demo.
    case demoFailed
  }
}
