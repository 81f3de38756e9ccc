// SPDX-License-Identifier: Apache-2.0

import KithClient
package import KithCore
import KithWriting

/// What the dashboard remembers from one run to the next: when accounts were last looked at, and which jobs it was running.
///
/// Several servers may use one folder. What cannot be read or written is not remembered; nothing else depends on it.
package struct DashboardMemory: Sendable {
  /// A visit ends when no page was loaded for this long.
  static let endOfVisit = Duration.seconds(30 * 60)

  private static let file = "dashboard.json"
  private static let lock = "dashboard"
  private static let mostBytes = 1 << 20
  /// A lock is held only while a small file is written.
  private static let patience = Duration.seconds(2)

  struct Content: Codable, Hashable {
    /// By the DIDs of the accounts.
    var visits: [String: LookedAt] = [:]
    /// The jobs that a server was running, by their numbers.
    var running: [Int64] = []
  }

  private let folder: SecureFolder

  /// - Parameter folder: the folder for data of the user.
  package init(in folder: SecureFolder) { self.folder = folder }

  // MARK: Visits

  /// Remembers that an account is looked at now.
  ///
  /// - Returns: when the visit before this one ended; nil if there was none, or if that cannot be found out.
  func look(at account: DID, _ now: Datetime) -> Datetime? {
    change { content in
      var looked = content.visits[account.description] ?? LookedAt()
      looked.look(now)
      content.visits[account.description] = looked
      return looked.before
    }
  }

  // MARK: Jobs

  /// Remembers that a job is running here.
  func began(_ job: JobID) {
    change { content in if !content.running.contains(job.number) { content.running.append(job.number) } }
  }

  /// Forgets a job, which need not be continued by the next server.
  func ended(_ job: JobID) { change { $0.running.removeAll { $0 == job.number } } }

  /// The jobs that were running when a server ended.
  var unfinished: [Int64] { content.running }

  // MARK: File

  private var content: Content {
    guard let bytes = (try? folder.read(Self.file, limit: Self.mostBytes)) ?? nil else { return Content() }
    return (try? JSONCoding.decode(Content.self, from: bytes)) ?? Content()
  }

  @discardableResult
  private func change<Value>(_ edit: (inout Content) -> Value) -> Value {
    // Without the lock, another server may have changed it in between: then nothing is written.
    let held = (try? folder.create()).flatMap { try? folder.lock(Self.lock, patience: Self.patience) } ?? nil
    defer { held?.release() }
    var content = content
    let former = content
    let value = edit(&content)
    if held != nil, content != former, let bytes = try? JSONCoding.encode(content) {
      try? folder.write(bytes, to: Self.file)
    }
    return value
  }
}

/// When an account was looked at.
struct LookedAt: Codable, Hashable {
  /// When the visit before the present one ended; nil if there was none.
  private(set) var before: Datetime?
  /// When a page was loaded last.
  private(set) var last: Datetime?

  /// A page is loaded.
  mutating func look(_ now: Datetime) {
    guard let last else {
      self.last = now
      return
    }
    // A clock that went back says nothing about how long it was.
    if now.instant - last.instant >= DashboardMemory.endOfVisit { before = last }
    if now.instant > last.instant { self.last = now }
  }
}
