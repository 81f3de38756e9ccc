// SPDX-License-Identifier: Apache-2.0

internal import CLibFuzzer

/// Runs libFuzzer, which takes its options from the command line.
public enum Fuzzing {
  /// Hands bytes to a test again and again, until a crash or the end of the time; gives the exit status.
  ///
  /// Packages name their own `main`, so that libFuzzer's cannot be.
  public static func run(_ test: @escaping @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt) -> CInt {
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    return LLVMFuzzerRunDriver(&count, &arguments, test)
  }

  /// The bytes of one test.
  public static func bytes(_ start: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
    Array(UnsafeBufferPointer(start: start, count: count))
  }
}
