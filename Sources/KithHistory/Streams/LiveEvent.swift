// SPDX-License-Identifier: Apache-2.0

public import KithClient
public import KithCore

/// What happens while listings are followed.
public enum LiveEvent: Sendable {
  /// An account came to a listing, or left it; the change has the cause, the record and the time. Each is told once.
  case changed(HistoryChange)
  /// An account that is not shown among the followers of an actor blocks it; one that was is a change. Told again if the
  /// process ended before its place was stored.
  case blocked(DID, by: DID, at: Instant)
  /// An account of the history has another name.
  case renamed(DID, Handle, at: Instant)
  /// Everything up to here was observed: the place, and how many events there were since the last one.
  case observed(StreamCursor, events: Int)
  /// The listings belong to this reader now; the store tells if another one takes some of them over.
  case began(StreamReaderID)
  /// The stream is connected.
  case connected(JetstreamConnection)
  /// The stream is not connected, and will be again.
  case disconnected(any Error, retryIn: Duration)
  /// What happened in between is unknown until all listings are read again.
  case gap(StreamGap)
  /// These listings are to be read as a whole, and events wait for that; told without any when they go on.
  case reading([HistoryListing])
  /// A listing was read by a snapshot, or could not be: then it is tried again later.
  case read(SnapshotRecorder.Outcome)
  /// A friend request, an answer or a policy concerns an actor whose followers in Bluesky's graph are followed. Told again as
  /// ``blocked(_:by:at:)`` is.
  case friends(FriendEvent)
}
