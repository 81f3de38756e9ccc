// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

extension UnsafeBufferPointer<UInt8> {
  /// The position of the first such byte; nil if there is none.
  ///
  /// Several times as fast as `firstIndex(of:)`, which long files notice.
  package func firstIndex(ofByte byte: UInt8) -> Int? {
    guard let start = UnsafeRawPointer(baseAddress), let end = memchr(start, Int32(byte), count) else {
      return nil
    }
    return UnsafeRawPointer(end) - start
  }
}
