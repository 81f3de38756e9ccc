// SPDX-License-Identifier: Apache-2.0

import CCurl

/// Owns libcurl's multi handle, and with it all pooled connections.
///
/// `@unchecked Sendable`: other threads than the loop's own only ever call ``wake()``, and
/// `curl_multi_wakeup` is the one function of a multi handle that libcurl allows from any thread. The
/// last reference frees the handle, so that no thread can wake what is already gone.
final class CurlMulti: @unchecked Sendable {
  /// For the loop thread alone.
  let pointer: UnsafeMutableRawPointer

  private static let globalStart = curl_global_init(Int(CURL_GLOBAL_DEFAULT))

  init?(_ configuration: CurlTransport.Configuration) {
    guard Self.globalStart == CURLE_OK, let pointer = curl_multi_init() else { return nil }
    self.pointer = pointer
    set(CURLMOPT_PIPELINING, Int(CURLPIPE_MULTIPLEX))
    set(CURLMOPT_MAX_HOST_CONNECTIONS, configuration.connectionsPerHost)
    set(CURLMOPT_MAXCONNECTS, configuration.idleConnections)
  }

  deinit { curl_multi_cleanup(pointer) }

  /// Ends the loop's wait for sockets.
  func wake() { curl_multi_wakeup(pointer) }

  private func set(_ option: CURLMoption, _ value: Int) {
    kith_curl_multi_setopt_long(pointer, option, value)
  }
}
