// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import RelationshipWriting
internal import Relationships

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The sole right to a job, or to plan the next one of an account: a lock on a file of its own, which the system takes
/// back when the process ends, however it ends. The file says who has it.
///
/// The file stays when the lock is given back, as long as there is the job: taking it away would let two processes
/// lock two files of one name.
final class JobLock: JobLease {
  private let lock: SecureFolder.Lock

  private init(_ lock: SecureFolder.Lock) { self.lock = lock }

  /// Takes the right, or says who has it.
  ///
  /// - Throws: ``StoreError`` for a file that cannot be made or locked, `JobError` where another process has it.
  static func take(_ job: JobID, in database: StoreDatabase, now: Int64) throws -> JobLock {
    try take(StoreDatabase.lockName(of: job.number), in: database, now: now) { JobError.held(job, by: $0) }
  }

  /// Takes the right to plan changes of an account, or says who has it.
  ///
  /// - Throws: as ``take(_:in:now:)``.
  static func takePlanning(of account: DID, in database: StoreDatabase, now: Int64) throws -> JobLock {
    try take(StoreDatabase.planningLock(of: account), in: database, now: now, JobError.planning)
  }

  private static func take(
    _ name: String, in database: StoreDatabase, now: Int64, _ refusal: (LeaseOwner?) -> JobError
  ) throws -> JobLock {
    let found: SecureFolder.Lock?
    do throws(SecureFolderError) {
      // Whoever looks who has the right shares it for an instant, so that one refusal is none.
      found = try database.locks.lock(name, patience: .milliseconds(10))
    } catch {
      throw StoreError(error)
    }
    guard let lock = found else { throw refusal(holder(name, in: database)) }
    let since = Datetime(microsecondsSinceEpoch: now)
    lock.write("\(getpid()) \(since) \(host)\n")
    return JobLock(lock)
  }

  /// Who has the right to a job; nil where nobody does.
  static func holder(_ job: JobID, in database: StoreDatabase) -> LeaseOwner? {
    holder(StoreDatabase.lockName(of: job.number), in: database)
  }

  private static func holder(_ name: String, in database: StoreDatabase) -> LeaseOwner? {
    guard let text = try? database.locks.holder(of: name) else { return nil }
    let parts = text.split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let process = Int32(parts[0]), let since = Datetime(String(parts[1])),
      parts[2].hasSuffix("\n")
    else { return nil }
    return LeaseOwner(process: process, host: String(parts[2].dropLast()), since: since)
  }

  func release() { lock.release() }

  private static var host: String {
    var bytes = [CChar](repeating: 0, count: 256)
    let isKnown = gethostname(&bytes, bytes.count - 1) == 0
    let name = String(decoding: bytes.lazy.map(UInt8.init(bitPattern:)).prefix { $0 != 0 }, as: UTF8.self)
    return isKnown && !name.isEmpty ? name : "this machine"
  }
}
