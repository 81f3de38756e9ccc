// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithRelationships
internal import KithWriting

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The lease of a job, or of planning the next job of an account: a file lock, which the system releases when
/// the process ends in any way. The file names the holder.
///
/// The file stays when the lock is released, as long as the job exists: removing it could let two processes
/// lock two files of the same name.
final class JobLock: JobLease {
  private let lock: SecureFolder.Lock

  private init(_ lock: SecureFolder.Lock) { self.lock = lock }

  /// Takes the lease of a job.
  ///
  /// - Throws: ``StoreError`` if the file cannot be created or locked, `JobError` with the holder if another
  ///   process has the lease.
  static func acquire(_ job: JobID, in database: StoreDatabase, now: Instant) throws -> JobLock {
    try acquire(StoreDatabase.lockName(of: job.number), in: database, now: now) { JobError.held(job, by: $0) }
  }

  /// Takes the lease of planning changes of an account.
  ///
  /// - Throws: The same errors as ``take(_:for:now:)``.
  static func takePlanning(of account: DID, in database: StoreDatabase, now: Instant) throws -> JobLock {
    try acquire(StoreDatabase.planningLock(of: account), in: database, now: now, JobError.planning)
  }

  private static func acquire(
    _ name: String, in database: StoreDatabase, now: Instant, _ refusal: (LeaseOwner?) -> JobError
  ) throws -> JobLock {
    let found: SecureFolder.Lock?
    do throws(SecureFolderError) {
      // A process that checks for a holder has a shared lock for a moment, so a single refusal is not
      // conclusive.
      found = try database.locks.lock(name, patience: .milliseconds(10))
    } catch {
      throw StoreError(error)
    }
    guard let lock = found else { throw refusal(holder(name, in: database)) }
    let since = Datetime(at: now)
    lock.write("\(getpid()) \(since) \(host)\n")
    return JobLock(lock)
  }

  /// Returns the holder of a job's lease; nil if it is free.
  static func holder(_ job: JobID, in database: StoreDatabase) -> LeaseOwner? {
    holder(StoreDatabase.lockName(of: job.number), in: database)
  }

  private static func holder(_ name: String, in database: StoreDatabase) -> LeaseOwner? {
    guard let text = try? database.locks.holder(of: name) else { return nil }
    return LeaseOwner(recorded: text)
  }

  func release() { lock.release() }

  private static var host: String {
    var bytes = [CChar](repeating: 0, count: 256)
    let isKnown = gethostname(&bytes, bytes.count - 1) == 0
    let name = String(decoding: bytes.lazy.map(UInt8.init(bitPattern:)).prefix { $0 != 0 }, as: UTF8.self)
    return isKnown && !name.isEmpty ? name : "this machine"
  }
}

extension LeaseOwner {
  /// The process that a lock names in its file; nil for another text.
  init?(recorded text: String) {
    let parts = text.split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let process = Int32(parts[0]), let since = Datetime(String(parts[1])),
      parts[2].hasSuffix("\n")
    else { return nil }
    self.init(process: process, host: String(parts[2].dropLast()), since: since)
  }
}
