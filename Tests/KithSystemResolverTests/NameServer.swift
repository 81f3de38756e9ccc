// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport

@testable import KithSystemResolver

/// A name server on loopback that answers from a script.
final class NameServer: Sendable {
  let server: SystemTextRecords.Server
  private let descriptor: Int32

  /// - Parameter answer: makes the answer to a question, by its first two bytes; nil sends none.
  init(_ answer: @escaping @Sendable (_ id: [UInt8]) -> [UInt8]?) throws {
    let (descriptor, port) = try LoopbackListener.bound(.udp)
    self.descriptor = descriptor
    server = SystemTextRecords.Server(address: "127.0.0.1", port: port)
    Thread.detachNewThread { Self.serve(descriptor, answer) }
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  private static func serve(_ descriptor: Int32, _ answer: ([UInt8]) -> [UInt8]?) {
    var question = [UInt8](repeating: 0, count: 1_024)
    while true {
      var peer = sockaddr_storage()
      var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
      let isServed = withUnsafeMutableBytes(of: &peer) { bytes -> Bool in
        guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
        let count = recvfrom(descriptor, &question, question.count, 0, pointer, &length)
        guard count > 12 else { return false }
        if let message = answer(Array(question.prefix(2))) {
          _ = sendto(descriptor, message, message.count, 0, pointer, length)
        }
        return true
      }
      guard isServed else { break }
    }
    close(descriptor)
  }
}
