// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore
internal import Relationships

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The sole right to a job, or to plan the next one: a lock on a file of its own, which the system takes back when the process ends, however
/// it ends. The file says who has it.
///
/// The file stays when the lock is given back, as long as there is the job: taking it away would let two processes
/// lock two files of one name.
final class JobLock: JobClaim {
  private let descriptor: PosixMutex<Int32>

  private init(descriptor: Int32) { self.descriptor = PosixMutex(descriptor) }

  deinit { release() }

  /// Takes the right, or says who has it.
  ///
  /// - Throws: ``StoreError`` for a file that cannot be made or locked, `JobError` where another process has it.
  static func take(_ job: JobID, at path: String, now: Int64) throws -> JobLock {
    try take(at: path, now: now) { JobError.held(job, by: $0) }
  }

  /// Takes the right to plan changes, or says who has it.
  ///
  /// - Throws: as ``take(_:at:now:)``.
  static func takePlanning(at path: String, now: Int64) throws -> JobLock {
    try take(at: path, now: now, JobError.planning)
  }

  private static func take(
    at path: String, now: Int64, _ refusal: (JobHolder?) -> JobError
  ) throws -> JobLock {
    let descriptor = try PrivateFile.open(path)
    // From here on the descriptor is given back where the right is not had.
    let lock = JobLock(descriptor: descriptor)
    // Whoever looks who has the right shares it for an instant, so that one refusal is none.
    guard try PrivateFile.lock(descriptor, at: path, patience: .milliseconds(10)) else {
      throw refusal(read(descriptor))
    }
    write(
      JobHolder(process: getpid(), host: host, since: Datetime(microsecondsSinceEpoch: now)), to: descriptor)
    return lock
  }

  /// Who has the right; nil where nobody does.
  static func holder(at path: String) -> JobHolder? {
    guard access(path, F_OK) == 0, let descriptor = try? PrivateFile.open(path) else { return nil }
    defer { close(descriptor) }
    guard flock(descriptor, LOCK_SH | LOCK_NB) != 0, errno == EWOULDBLOCK else { return nil }
    return read(descriptor)
  }

  func release() {
    let descriptor = descriptor.withLock { descriptor in
      defer { descriptor = -1 }
      return descriptor
    }
    if descriptor >= 0 { close(descriptor) }
  }

  private static func write(_ holder: JobHolder, to descriptor: Int32) {
    let text = Array("\(holder.process) \(holder.since) \(holder.host)\n".utf8)
    // The lock is what counts; where there is no room for the name of who has it, that is not told.
    if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, text, text.count, 0) }
  }

  private static func read(_ descriptor: Int32) -> JobHolder? {
    var bytes = [UInt8](repeating: 0, count: 512)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    guard count > 0 else { return nil }
    let parts = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let process = Int32(parts[0]), let since = Datetime(String(parts[1])),
      parts[2].hasSuffix("\n")
    else { return nil }
    return JobHolder(process: process, host: String(parts[2].dropLast()), since: since)
  }

  private static var host: String {
    var bytes = [CChar](repeating: 0, count: 256)
    let isKnown = gethostname(&bytes, bytes.count - 1) == 0
    let name = String(decoding: bytes.lazy.map(UInt8.init(bitPattern:)).prefix { $0 != 0 }, as: UTF8.self)
    return isKnown && !name.isEmpty ? name : "this machine"
  }
}
