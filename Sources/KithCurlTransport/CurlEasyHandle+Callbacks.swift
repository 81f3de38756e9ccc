// SPDX-License-Identifier: Apache-2.0

import CKithCurl
import Glibc

/// The callbacks that libcurl calls on the loop thread, within `curl_multi_socket_action`.
extension CurlEasyHandle {
  func installCallbacks() {
    // Unretained: the loop keeps the handle alive as long as libcurl can call back.
    let context = Unmanaged.passUnretained(self).toOpaque()
    for option in [
      CURLOPT_PRIVATE, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_OPENSOCKETDATA,
      CURLOPT_PREREQDATA, CURLOPT_XFERINFODATA,
    ] {
      kith_curl_easy_setopt_pointer(pointer, option, context)
    }
    kith_curl_easy_setopt_write(pointer, CURLOPT_HEADERFUNCTION) { bytes, _, count, context in
      CurlEasyHandle.of(context).receiveHeadLine(UnsafeRawBufferPointer(start: bytes, count: count))
    }
    kith_curl_easy_setopt_write(pointer, CURLOPT_WRITEFUNCTION) { bytes, _, count, context in
      CurlEasyHandle.of(context).receiveBody(UnsafeRawBufferPointer(start: bytes, count: count))
    }
    kith_curl_easy_setopt_read(pointer) { buffer, size, count, context in
      CurlEasyHandle.of(context).sendBody(
        into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
    }
    kith_curl_easy_setopt_open_socket(pointer) { context, _, address in
      CurlEasyHandle.of(context).openSocket(address)
    }
    // A connection outlives the handle that opened it, but not the loop and its watchdog.
    kith_curl_easy_setopt_pointer(
      pointer, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(watchdog).toOpaque())
    kith_curl_easy_setopt_close_socket(pointer) { context, socket in
      CurlWatchdog.of(context).close(socket)
    }
    kith_curl_easy_setopt_progress(pointer) { context, _, received, _, _ in
      CurlEasyHandle.of(context).mayContinue(received: Int(received)) ? 0 : 1
    }
    kith_curl_easy_setopt_before_request(pointer) { context, address, _, _, _ in
      CurlEasyHandle.of(context).willSend(to: address)
    }
  }

  /// Returns the handle behind a pointer that ``installCallbacks()`` gave to libcurl.
  static func of(_ context: UnsafeMutableRawPointer?) -> CurlEasyHandle {
    // Invariant: libcurl returns the pointer it was given, and the loop keeps the handle alive meanwhile.
    guard let context else { preconditionFailure("libcurl lost the handle's context") }
    return Unmanaged<CurlEasyHandle>.fromOpaque(context).takeUnretainedValue()
  }

  /// Returns the handle of an exchange by libcurl's pointer; nil for handles that libcurl made for itself.
  static func of(easy: UnsafeMutableRawPointer?) -> CurlEasyHandle? {
    var context: UnsafeMutableRawPointer?
    guard let easy, kith_curl_easy_getinfo_private(easy, &context) == CURLE_OK, context != nil else {
      return nil
    }
    return of(context)
  }

  private func receiveHeadLine(_ line: UnsafeRawBufferPointer) -> Int {
    transfer?.receiveHeadLine(line, at: clock.now) == true ? line.count : Self.abort
  }

  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    let receipt = transfer?.receiveBody(
      bytes, announced: info(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T), at: clock.now)
    switch receipt {
    case .taken: return bytes.count
    case .notYet: return Int(CURL_WRITEFUNC_PAUSE)
    case .refused, nil: return Self.abort
    }
  }

  private func sendBody(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    guard let transfer, let body = transfer.exchange.body else { return 0 }
    let piece = body[transfer.bodySent...].prefix(buffer.count)
    buffer.copyBytes(from: piece)
    self.transfer?.bodySent += piece.count
    return piece.count
  }

  private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>?) -> curl_socket_t {
    guard let address else { return CURL_SOCKET_BAD }
    guard transfer?.mayConnect(to: IPAddress(address)) == true else { return CURL_SOCKET_BAD }
    let opened = socket(
      address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
      address.pointee.protocol)
    guard opened >= 0 else {
      transfer?.couldNotOpenSocket(errno)
      return opened
    }
    guard DescriptorReserve.isUntouched(by: opened) else {
      close(opened)
      transfer?.couldNotOpenSocket(EMFILE)
      return CURL_SOCKET_BAD
    }
    watchdog.opened(opened)
    return opened
  }

  /// Bounds the bytes as received: compressed data without content never reaches ``receiveBody(_:)``, and
  /// extensions of chunks are not even counted by libcurl.
  private func mayContinue(received: Int) -> Bool {
    guard transfer?.mayContinue(received: received) != false else { return false }
    let hasLength = info(CURLINFO_CONTENT_LENGTH_DOWNLOAD_T) >= 0
    guard !hasLength, transfer?.isAloneOnItsConnection == true, let onWire = bytesOnWire else {
      return true
    }
    return transfer?.mayContinue(onWire: onWire) != false
  }

  private func willSend(to address: UnsafePointer<CChar>?) -> Int32 {
    let isAllowed = transfer?.willSend(
      to: address.flatMap { IPAddress(String(cString: $0)) }, at: clock.now)
    return Int32(isAllowed == true ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT)
  }

  /// A count that differs from that of the given bytes, which libcurl treats as a refusal.
  private static var abort: Int { -1 }

  /// Returns a number that libcurl keeps about the exchange.
  func info(_ fact: CURLINFO) -> Int {
    var value: curl_off_t = 0
    kith_curl_easy_getinfo_offset(pointer, fact, &value)
    return Int(value)
  }

  /// Returns one of the older numbers, kept as a C `long`.
  func longInfo(_ fact: CURLINFO) -> Int {
    var value = 0
    kith_curl_easy_getinfo_long(pointer, fact, &value)
    return value
  }
}

extension IPAddress {
  /// Reads the address that libcurl is about to open a socket for; nil for other address families.
  fileprivate init?(_ address: UnsafeMutablePointer<curl_sockaddr>) {
    // The generic head is followed by the structure of the family, which is longer.
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    let bytes = UnsafeRawPointer(address) + offset
    switch address.pointee.family {
    case AF_INET: self.init(bytes.loadUnaligned(as: sockaddr_in.self).sin_addr)
    case AF_INET6: self.init(bytes.loadUnaligned(as: sockaddr_in6.self).sin6_addr)
    default: return nil
    }
  }
}
