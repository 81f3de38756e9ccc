// SPDX-License-Identifier: Apache-2.0

extension Message {
  /// The codes of the command's own messages. Scripts may rely on them: codes are added, but never change.
  enum Code: String, CaseIterable, Sendable {
    // The command line, and the process.
    case usage, noArguments, formerSpelling, unknownCommand, unknownMessageForm, invalidClockShift,
      internalError,
      endedByDeadline, log
    // Files and streams.
    case systemError, unsafeFile, tooFewDescriptors, isAFolder, notUnicode, noHome, certificates
    // Names and values in arguments.
    case invalidInput, invalidAccountOption, invalidService, invalidServiceReference, serviceWithoutScheme,
      invalidList
    case invalidParameter, invalidMethod, accountsExcluded, noneMatch, unknownField, repeatedField, noFields,
      noInput
    case noFailedRows
    // Confirmations.
    case needsConfirmation
    // Accounts.
    case signingIn, accountChanged, signedIn, accountInactive, noAccounts, nothingToSignOut, signedOut,
      notRevoked, actingAs, unfinishedWork, unfinishedWorkUnknown
    case mainPassword, secondFactor, noSecondFactor, echoStays, noPassword, secretFromTerminal,
      invalidPassword
    // Checks.
    case hiddenTargets
    case lookupsFailed, notFound, checkSummary, methodCost, totalCost, planAssumptions
    case blockersNeedIndex, graphsCompared, cursorOfAnotherGraph
    case appViewsCompared, appViewFailed, namesNotCompared
    case listingContinued, listingSummary, emptyFilter, invalidSince
    // Changes.
    case changeSummary, changeFault, massChange, planContinues, pointsNeeded, undoneLater, replacedUncompared
    case reported, reportInDoubt, blockHint, followBackScreened, followBackPaced
    // Lists.
    case listReach
    case starterPack
    // Friends.
    case friendsArePublic, approvalNotAsked, friendsListed, inboxListed, requestsUnreadable, requestsUnseen,
      noneSent,
      friendsSynced,
      audienceCompared
    // People.
    case peopleFound, peopleDismissed, noneDismissed, noTerminal, contactsUnreadable, contactsMatched
    // Feeds.
    case feedRead, threadRead, listIsPublic
    // Posts.
    case postPreview, noCard, picturePreview, mentionUnknown, quotesNotLearned
    case unusablePicture, noPhotoProgram, photoProgramFailed
    // Notifications.
    case notificationsRead, noSubscriptions
    // Jobs.
    case jobPaused, jobCancelled, jobStopped, jobDone, jobItemsSkipped
    case jobEndedElsewhere, jobEndsLater
    case jobItemsFailed, nothingFailed, jobsPruned, jobsHidden, noJobs, jobProposed, nothingDue, undoHint
    case jobUndone, tookBack
    // History.
    case snapshotSummary, historySummary, liveSummary, daemonSummary, daemonRuns, daemonSocket, daemonState,
      dashboardAddress, dashboardEntered, dashboardEnded, dashboardPort, invalidHostName,
      streamTraffic, followedLive, notExamined, auditSummary,
      auditStep,
      nothingFixed, observed,
      timerIsOff, present,
      neverSeen
    case noneWatched, watched, unwatched
    case noFiles, soundFiles, damagedFiles, backedUp, backupsRemoved, restored, noBackup, vacuumed,
      restoredJobs,
      historyPruned, historyForgotten
    // Analytics.
    case invalidTimeZone, formatOfReports, emptyTime
    case insightSummary, reportWritten, noGoal, goalRemoved, noForecast
    case noSegments, segmentAdded, unknownFileType, segmentsRemoved
    case noLists, noStarterPacks, nothingTimed
    case pictureOfSeveral, nothingToDraw, noPictureProgram, pictureProgramFailed
    // Settings.
    case noSettings, settingsWritten, settingsUnreadable, settingsUnsafe, unknownSetting, invalidSetting
    case noSuchSetting, accountForAccount, settingsDoNotFit
    // Exports and imports.
    case exportSummary, importPreview, statementsAreApart
    // The sandbox.
    case noSandboxProgram
  }
}
