// SPDX-License-Identifier: Apache-2.0

#if canImport(CryptoKit)
  internal import CryptoKit
#else
  internal import CKithCrypto
#endif

/// SHA-1 (FIPS 180-4), for the handshake of WebSockets only: it protects nothing there, and is too weak to protect anything.
package enum SHA1 {
  /// The hash of some bytes, which has 20 bytes.
  package static func hash(of bytes: [UInt8]) -> [UInt8] {
    #if canImport(CryptoKit)
      Array(Insecure.SHA1.hash(data: bytes))
    #else
      let length = 20
      return [UInt8](unsafeUninitializedCapacity: length) { buffer, count in
        let isHashed = EVP_Digest(bytes, bytes.count, buffer.baseAddress, nil, EVP_sha1(), nil) == 1
        // A library may be configured without it, which only ends the handshake: the client does not accept zeros.
        if !isHashed { buffer.initialize(repeating: 0) }
        count = length
      }
    #endif
  }
}
