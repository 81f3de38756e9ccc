// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import CKithCrypto
#endif

/// SHA-256 (FIPS 180-4).
package enum SHA256 {
  /// The hash of some bytes as 64 hexadecimal digits in lower case.
  package static func digits(of bytes: [UInt8]) -> String {
    hash(of: bytes).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The hash of some bytes, which has 32 bytes.
  package static func hash(of bytes: [UInt8]) -> [UInt8] {
    #if canImport(CryptoKit)
      Array(CryptoKit.SHA256.hash(data: bytes))
    #else
      let length = 32
      return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
        let isHashed = EVP_Digest(bytes, bytes.count, buffer.baseAddress, nil, EVP_sha256(), nil) == 1
        // No configuration of the library forbids this function; a wrong hash would be worse than the end.
        precondition(isHashed, "libcrypto cannot compute SHA-256")
        count = length
      }
    #endif
  }
}
