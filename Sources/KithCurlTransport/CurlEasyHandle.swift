// SPDX-License-Identifier: Apache-2.0

import CKithCurl
import Glibc
import HTTPTypes
import KithClient

/// A libcurl easy handle, reused for one exchange after another.
///
/// Not `Sendable`: it is only used on the loop thread, including libcurl's callbacks. Options that are the
/// same for all exchanges are set once; of the others only those that differ from the previous exchange.
final class CurlEasyHandle {
  let pointer: UnsafeMutableRawPointer
  /// The exchange in progress and its state.
  var transfer: CurlTransfer?
  /// The index in the loop's list of active handles.
  var place = 0
  let clock: CurlLoopClock
  let watchdog: CurlWatchdog

  private enum Shape { case get, head, post }

  private let tlsVersion: Int
  private let plainVersion: Int
  /// The values for hosts that the user named, and for other hosts.
  private let userAgents: (named: String, others: String)
  private let errorText: UnsafeMutablePointer<CChar>
  private var url = ""
  private var shape = Shape.get
  private var customMethod: HTTPRequest.Method?
  private var fields: UnsafeMutablePointer<curl_slist>?
  private var fieldLines: [CChar] = []
  private var mayUseHTTP2: Bool?
  private var isNamed: Bool?
  private var proxy: String?
  private var connectLimit: Duration?
  /// The socket of the exchange, and what it had received when the exchange began to use it.
  private var socket: (number: curl_socket_t, received: Int)?

  init?(configuration: CurlTransport.Configuration, clock: CurlLoopClock, watchdog: CurlWatchdog) {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
    self.clock = clock
    self.watchdog = watchdog
    plainVersion =
      configuration.speaksHTTP2WithoutTLS
      ? Int(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE) : Int(CURL_HTTP_VERSION_1_1)
    tlsVersion = configuration.httpVersion.option
    userAgents = (configuration.userAgent, configuration.userAgentForStrangers)
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    setInvariants(configuration)
    installCallbacks()
  }

  deinit {
    curl_easy_cleanup(pointer)
    curl_slist_free_all(fields)
    errorText.deallocate()
  }

  /// Starts an exchange.
  func begin(_ transfer: CurlTransfer) {
    let exchange = transfer.exchange
    self.transfer = transfer
    socket = nil
    if exchange.url != url {
      url = exchange.url
      set(CURLOPT_URL, exchange.url)
    }
    kith_curl_easy_setopt_string(pointer, CURLOPT_REQUEST_TARGET, exchange.target)
    setMethod(exchange)
    if exchange.fieldLines != fieldLines { setFields(exchange.fieldLines) }
    if exchange.limits.connect != connectLimit {
      connectLimit = exchange.limits.connect
      set(CURLOPT_CONNECTTIMEOUT_MS, exchange.limits.connect.milliseconds)
    }
    if exchange.proxy != proxy {
      proxy = exchange.proxy
      set(CURLOPT_PROXY, exchange.proxy)
    }
    if exchange.isNamed != isNamed {
      isNamed = exchange.isNamed
      set(CURLOPT_USERAGENT, exchange.isNamed ? userAgents.named : userAgents.others)
    }
    if exchange.mayUseHTTP2 != mayUseHTTP2 {
      mayUseHTTP2 = exchange.mayUseHTTP2
      set(CURLOPT_HTTP_VERSION, exchange.mayUseHTTP2 ? tlsVersion : plainVersion)
    }
  }

  /// Makes the exchange a connection without HTTP: libcurl ends it when the connection is there.
  ///
  /// Of TLS it wants HTTP/1.1, because a WebSocket begins with that, and it is reached through any proxy by CONNECT.
  func connectOnly() {
    set(CURLOPT_CONNECT_ONLY, 1)
    set(CURLOPT_HTTPPROXYTUNNEL, 1)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
  }

  /// The socket of a connection without HTTP.
  var activeSocket: curl_socket_t? {
    var socket = CURL_SOCKET_BAD
    let code = kith_curl_easy_getinfo_socket(pointer, &socket)
    return code == CURLE_OK && socket != CURL_SOCKET_BAD ? socket : nil
  }

  /// Notes the socket of the exchange.
  func uses(_ number: curl_socket_t) {
    guard number != socket?.number else { return }
    socket = Self.bytesReceived(on: number).map { (number, $0) }
  }

  /// How many bytes the socket has received since the exchange began to use it, whatever libcurl makes of
  /// them; nil if unknown.
  var bytesOnWire: Int? {
    socket.flatMap { socket in Self.bytesReceived(on: socket.number).map { $0 - socket.received } }
  }

  /// Returns the kernel's count of payload bytes that a socket has received.
  private static func bytesReceived(on socket: curl_socket_t) -> Int? {
    // Where `tcpi_bytes_received` begins in the kernel's `tcp_info`, which only grows at its end; the C
    // library declares an older, shorter form.
    let offset = 128
    let size = offset + MemoryLayout<UInt64>.size
    let alignment = MemoryLayout<UInt64>.alignment
    return withUnsafeTemporaryAllocation(byteCount: size, alignment: alignment) { facts in
      var length = socklen_t(size)
      guard getsockopt(socket, Int32(IPPROTO_TCP), TCP_INFO, facts.baseAddress, &length) == 0, length == size
      else { return nil }
      return Int(clamping: facts.load(fromByteOffset: offset, as: UInt64.self))
    }
  }

  /// Resumes an exchange that was paused for its reader. libcurl may deliver bytes at once.
  func resume() {
    transfer?.resume(at: clock.now)
    curl_easy_pause(pointer, CURLPAUSE_CONT)
  }

  /// Whether a limit of the exchange is exceeded.
  var isOverdue: Bool {
    guard let check = transfer?.nextCheck(after: clock.now), check <= clock.now else { return false }
    let moved = info(CURLINFO_SIZE_UPLOAD_T) + info(CURLINFO_SIZE_DOWNLOAD_T)
    return self.transfer?.isOverdue(bytesMoved: moved, at: clock.now) == true
  }

  /// Returns the outcome of an exchange that libcurl ended with a code.
  func outcome(of transfer: CurlTransfer, _ code: CURLcode) -> Result<Void, any Error> {
    if let failure = transfer.failure { return .failure(failure) }
    guard code == CURLE_OK else {
      return .failure(
        TransportError(
          code, ending: transfer, detail: String(cString: errorText),
          tunnel: longInfo(CURLINFO_HTTP_CONNECTCODE)))
    }
    return .success(())
  }

  /// Returns the cost of the exchange so far.
  func metrics(of transfer: CurlTransfer) -> TransportResponse.Metrics {
    TransportResponse.Metrics(
      bytesSent: longInfo(CURLINFO_REQUEST_SIZE) + info(CURLINFO_SIZE_UPLOAD_T),
      bytesReceived: longInfo(CURLINFO_HEADER_SIZE) + info(CURLINFO_SIZE_DOWNLOAD_T),
      elapsed: clock.now - transfer.started,
      connectionsOpened: longInfo(CURLINFO_NUM_CONNECTS))
  }

  private func setInvariants(_ configuration: CurlTransport.Configuration) {
    kith_curl_easy_setopt_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
    set(CURLOPT_PROTOCOLS_STR, "http,https")
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_NOPROGRESS, 0)
    // A name server that hangs must not block the loop when its exchange is given up.
    set(CURLOPT_QUICK_EXIT, 1)
    set(CURLOPT_NOPROXY, "")
    set(CURLOPT_PIPEWAIT, 1)
    set(CURLOPT_PATH_AS_IS, 1)
    set(CURLOPT_ACCEPT_ENCODING, "")
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    if let path = configuration.unixSocket { set(CURLOPT_UNIX_SOCKET_PATH, path) }
    if let caFile = configuration.caFile {
      set(CURLOPT_CAINFO, caFile)
      // Otherwise the system's certificate folder that libcurl was built with would also be trusted.
      kith_curl_easy_setopt_string(pointer, CURLOPT_CAPATH, nil)
    }
  }

  private func setMethod(_ exchange: CurlExchange) {
    let wanted: Shape = exchange.hasBody ? .post : exchange.method == .head ? .head : .get
    if wanted != shape {
      // Each of the three options resets the others.
      switch wanted {
      case .get: set(CURLOPT_HTTPGET, 1)
      case .head: set(CURLOPT_NOBODY, 1)
      case .post: set(CURLOPT_POST, 1)
      }
      shape = wanted
    }
    if wanted == .post {
      kith_curl_easy_setopt_offset(
        pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(exchange.body?.count ?? 0))
    }
    let isUsual = exchange.method == (wanted == .post ? .post : wanted == .head ? .head : .get)
    let custom = isUsual ? nil : exchange.method
    if custom != customMethod {
      kith_curl_easy_setopt_string(pointer, CURLOPT_CUSTOMREQUEST, custom?.rawValue)
      customMethod = custom
    }
  }

  private func setFields(_ lines: [CChar]) {
    curl_slist_free_all(fields)
    fields = nil
    lines.withUnsafeBufferPointer { buffer in
      guard var line = buffer.baseAddress else { return }
      let end = line + buffer.count
      while line < end {
        fields = curl_slist_append(fields, line)
        while line.pointee != 0 { line += 1 }
        line += 1
      }
    }
    fieldLines = lines
    kith_curl_easy_setopt_list(pointer, CURLOPT_HTTPHEADER, fields)
  }

  private func set(_ option: CURLoption, _ value: Int) {
    kith_curl_easy_setopt_long(pointer, option, value)
  }

  private func set(_ option: CURLoption, _ value: String) {
    kith_curl_easy_setopt_string(pointer, option, value)
  }
}

extension CurlTransport.Configuration.HTTPVersion {
  fileprivate var option: Int {
    switch self {
    case .http1: Int(CURL_HTTP_VERSION_1_1)
    case .http2: Int(CURL_HTTP_VERSION_2TLS)
    }
  }
}

extension Duration {
  /// Whole milliseconds, at least one, because 0 makes libcurl use its default.
  fileprivate var milliseconds: Int {
    let (seconds, attoseconds) = components
    return max(1, Int(clamping: seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
  }
}
