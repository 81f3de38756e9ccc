// SPDX-License-Identifier: Apache-2.0

internal import KithClient
internal import KithCore

/// Where new records of a collection are listed, on a server that lists the oldest key first.
///
/// Keys are times: a record that another app makes now stands behind all that were made a minute ago. So a short
/// reading finds it. What a short reading does not find are deletions by other apps, and keys that are not times.
struct CollectionEnd: Sendable {
  /// How far the clocks of two apps may be apart.
  private static let margin = Duration.seconds(60)
  /// How long short readings suffice after a whole one.
  private static let lasts = Duration.seconds(600)

  private let readAt: Duration
  /// What stands before a key in a cursor; nil as long as there has been one page.
  private var cursorPrefix: String?
  /// The last key that was at least a minute old when it was read; nil to begin with the first record.
  private var start: RecordKey?

  /// - Parameters:
  ///   - whole: the collection as read.
  ///   - time: the time at which the reading began, by both clocks.
  /// - Returns: nil if the collection was not read from such a server.
  init?(of whole: OwnCollection, readAt time: (steady: Duration, wall: Instant)) {
    // A single page shows no order; it is as short as the end of a longer listing.
    guard whole.prefixOfAscendingCursors != nil || whole.records.count < RecordReader.pageSize else {
      return nil
    }
    (readAt, cursorPrefix) = (time.steady, whole.prefixOfAscendingCursors)
    advance(over: whole.records, at: time.wall)
  }

  /// Reads what has been made since the latest reading, and some records more.
  ///
  /// - Returns: nil if the whole collection has to be read.
  mutating func read(_ collection: NSID, with reader: RecordReader) async throws -> [KeptRecord]? {
    let time = reader.client.time
    let (steady, wall) = (time.now, time.instant)
    guard steady - readAt < Self.lasts else { return nil }
    let answer = try await reader.records(behind: start, in: collection, cursorPrefix: cursorPrefix)
    guard let answer else { return nil }
    cursorPrefix = answer.cursorPrefix
    advance(over: answer.records, at: wall)
    return answer.records
  }

  private mutating func advance(over records: [KeptRecord], at wall: Instant) {
    guard cursorPrefix != nil else { return }
    let settled = records.last { record in
      record.rkey.tid.map { $0.instant <= wall - Self.margin } ?? false
    }
    start = settled?.rkey ?? start
  }
}
