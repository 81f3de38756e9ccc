// SPDX-License-Identifier: Apache-2.0

/// All that Kith does: the list against which a front checks its commands, routes and pages.
public enum OperationCatalogue {
  /// Every operation. `Scripts/check-operations` finds those that are missing.
  public static let all: [any KithOperation.Type] = [
    // Questions.
    CheckRelationships.self,
    ShowFollowButtons.self,
    CompareAppViews.self,
    ListAccounts.self,
    ResolveIdentities.self,
    CountListings.self,
    // Graphs and friends.
    ListGraphs.self,
    CompareGraphs.self,
    ListFriends.self,
    ListReceivedRequests.self,
    ListSentRequests.self,
    ShowFriendPolicy.self,
    // People.
    FindPeople.self,
    MatchContacts.self,
    ShowProfile.self,
    ProfilePage.self,
    DismissPeople.self,
    ListDismissedPeople.self,
    // Posts and notifications.
    ReadFeed.self,
    ReadThread.self,
    ReadNotifications.self,
    FollowNotifications.self,
    ChangeNotificationSettings.self,
    SubscribeToPosts.self,
    // Lists and starter packs.
    ShowLists.self,
    ListMembers.self,
    ShowStarterPacks.self,
    // Changes.
    Change<RequestedChanges>.self,
    Change<ChangeAccounts>.self,
    Change<FollowBack>.self,
    Change<FollowStarterPack>.self,
    Change<FollowContacts>.self,
    Change<ChangeFriends>.self,
    Change<SyncFriends>.self,
    Change<SetFriendPolicy>.self,
    Change<KeepFriendList>.self,
    Change<ChangeLists>.self,
    Change<CreateList>.self,
    Change<EditList>.self,
    Change<DeleteLists>.self,
    Change<ChangeListMembers>.self,
    Change<ImportFiles>.self,
    Change<PublishPosts>.self,
    Change<DeletePosts>.self,
    Change<ReactToPosts>.self,
    Change<EditProfile>.self,
    ReportToModerators.self,
    // Jobs.
    ListJobs.self,
    ShowJob.self,
    ListTimedChanges.self,
    RunJob.self,
    StopJob.self,
    ApproveJob.self,
    RejectJob.self,
    UndoJob.self,
    EndDueJobs.self,
    // History and statistics.
    TakeSnapshots.self,
    ListSnapshots.self,
    ListChanges.self,
    FollowLive.self, RunDaemon.self,
    ListStreams.self,
    ExplainChanges.self,
    WatchAccounts.self,
    UnwatchAccounts.self,
    ListWatchedAccounts.self,
    ComputeStatistics.self,
    TrackGoal.self,
    RemoveGoal.self,
    AddSegment.self,
    RemoveSegments.self,
    ListSegments.self,
    CountSegments.self,
    // Exports.
    ExportRelationships.self,
    // Accounts.
    SignInAccount.self,
    SignOutAccounts.self,
    ListSignedInAccounts.self,
    SwitchAccount.self,
    ConfirmSession.self,
    AuditAccount.self,
    // Tools.
    CallMethod.self,
  ]

  /// The names of all operations.
  public static var names: [String] { all.map { $0.name } }
}
