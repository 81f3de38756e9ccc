// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// A value behind a POSIX mutex.
///
/// Not `Synchronization.Mutex`: on Linux that one spins for long where threads contend
/// <https://github.com/swiftlang/swift/issues/88440>, as those that ask and a transport's loop do all the time,
/// and ThreadSanitizer cannot see it being handed over by the kernel.
///
/// `@unchecked Sendable`: the value is touched with the mutex held and not otherwise.
package final class PosixMutex<Value: ~Copyable>: @unchecked Sendable {
  private var value: Value
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  package init(_ value: consuming sending Value) {
    self.value = value
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs a closure that has the value to itself.
  package func withLock<Result, Failure: Error>(
    _ body: (inout Value) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value)
  }
}
