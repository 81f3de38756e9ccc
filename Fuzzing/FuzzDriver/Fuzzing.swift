// SPDX-License-Identifier: Apache-2.0

internal import CLibFuzzer
internal import Dispatch

/// Runs libFuzzer, which takes its options from the command line.
package enum Fuzzing {
  /// Passes bytes to a test again and again, until a crash or the end of the time; returns the exit status.
  ///
  /// Packages name their own `main`, so that libFuzzer's cannot be used.
  package static func run(
    _ test: @escaping @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
  ) -> CInt {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    return LLVMFuzzerRunDriver(&count, &arguments, test)
  }

  /// Runs an entry with the bytes of one test, and crashes if the entry throws: libFuzzer keeps the input of a crash.
  package static func feed(
    _ start: UnsafePointer<UInt8>?, _ count: Int, to entry: ([UInt8]) throws -> [String: Int]
  ) -> CInt {
    do { _ = try entry(bytes(start, count)) } catch { fatalError("\(error)") }
    return 0
  }

  /// Runs an asynchronous entry in the same way, and waits for it.
  package static func feed(
    _ start: UnsafePointer<UInt8>?, _ count: Int,
    awaiting entry: @escaping @Sendable ([UInt8]) async throws -> [String: Int]
  ) -> CInt {
    let bytes = bytes(start, count)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      do { _ = try await entry(bytes) } catch { fatalError("\(error)") }
      done.signal()
    }
    done.wait()
    return 0
  }

  private static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: count))
  }
}
