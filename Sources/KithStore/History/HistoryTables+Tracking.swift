// SPDX-License-Identifier: Apache-2.0

internal import GRDB
internal import KithCore
internal import KithHistory
internal import KithRelationships

/// What is tracked beside the observations.
extension HistoryTables {
  // MARK: Counts and watched actors

  func record(_ counts: CountSample, of actor: DID) throws {
    try database.execute(
      sql: HistoryStatements.addCounts,
      arguments: [
        "account": try id(adding: actor), "at": counts.at.databaseValue, "followers": counts.value.followers,
        "follows": counts.value.follows, "posts": counts.value.posts, "isDoubted": counts.isDoubted,
      ])
  }

  func counts(of actor: DID, since: Instant) throws -> [CountSample] {
    try Row.fetchAll(
      database, sql: HistoryStatements.counts, arguments: ["did": actor.data, "since": since.databaseValue]
    ).map { row in
      CountSample(
        at: row.time("at"),
        AccountView.Counts(followers: row["followers"], follows: row["follows"], posts: row["posts"]),
        isDoubted: row["is_doubted"])
    }
  }

  func watch(_ actor: DID, at now: Instant) throws -> Bool {
    let id = try id(adding: actor)
    try database.execute(sql: HistoryStatements.watch, arguments: ["account": id, "now": now.databaseValue])
    return database.changesCount > 0
  }

  func unwatch(_ actor: DID) throws -> Bool {
    try database.execute(sql: HistoryStatements.unwatch, arguments: ["did": actor.data])
    return database.changesCount > 0
  }

  func watched() throws -> [WatchedActor] {
    try Row.fetchAll(database, sql: HistoryStatements.watched).compactMap { row in
      DID(row, "did").map { WatchedActor($0, since: row.time("since")) }
    }
  }

  // MARK: Dismissals

  func dismiss(_ accounts: [DID], by actor: DID, at now: Instant) throws -> Int {
    let id = try id(adding: actor)
    var count = 0
    for account in accounts {
      try database.execute(
        sql: HistoryStatements.dismiss,
        arguments: ["actor": id, "account": try self.id(adding: account), "now": now.databaseValue])
      count += database.changesCount
    }
    return count
  }

  func takeBack(dismissalsOf accounts: [DID], by actor: DID) throws -> Int {
    var count = 0
    for account in accounts {
      try database.execute(
        sql: HistoryStatements.takeBack, arguments: ["actor": actor.data, "account": account.data])
      count += database.changesCount
    }
    return count
  }

  func dismissals(by actor: DID) throws -> [Dismissal] {
    try Row.fetchAll(database, sql: HistoryStatements.dismissals, arguments: ["actor": actor.data]).compactMap
    {
      row in DID(row, "did").map { Dismissal($0, since: row.time("since")) }
    }
  }

  // MARK: Goals and segments

  func goal(of actor: DID) throws -> FollowerGoal? {
    try Row.fetchOne(database, sql: HistoryStatements.goal, arguments: ["did": actor.data]).map { row in
      FollowerGoal(row["followers"], from: row["start"], since: row.time("since"))
    }
  }

  func set(_ goal: FollowerGoal?, of actor: DID) throws {
    guard let goal else {
      return try database.execute(sql: HistoryStatements.removeGoal, arguments: ["did": actor.data])
    }
    try database.execute(
      sql: HistoryStatements.setGoal,
      arguments: [
        "account": try id(adding: actor), "followers": goal.followers, "start": goal.start,
        "since": goal.since.databaseValue,
      ])
  }

  func segments() throws -> [Segment] {
    try Row.fetchAll(database, sql: HistoryStatements.segments).compactMap { row in
      Segment(row["name"], row["predicate"], since: row.time("since"))
    }
  }

  func add(_ segment: Segment) throws {
    try database.execute(
      sql: HistoryStatements.removeOtherSegment,
      arguments: ["name": segment.name, "predicate": segment.predicate])
    try database.execute(
      sql: HistoryStatements.addSegment,
      arguments: ["name": segment.name, "predicate": segment.predicate, "since": segment.since.databaseValue])
  }

  func removeSegment(named name: String) throws -> Bool {
    try database.execute(sql: HistoryStatements.removeSegment, arguments: ["name": name])
    return database.changesCount > 0
  }

  func record(_ count: Sample<Int>, of segment: String, for actor: DID) throws {
    try database.execute(
      sql: HistoryStatements.addSegmentCount,
      arguments: [
        "account": try id(adding: actor), "at": count.at.databaseValue, "members": count.value,
        "name": segment,
      ])
  }

  func counts(of segment: String, for actor: DID) throws -> [Sample<Int>] {
    try Row.fetchAll(
      database, sql: HistoryStatements.segmentCounts, arguments: ["name": segment, "did": actor.data]
    ).map { Sample<Int>(at: $0.time("at"), $0["members"]) }
  }
}
