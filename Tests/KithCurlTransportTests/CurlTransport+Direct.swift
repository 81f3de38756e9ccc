// SPDX-License-Identifier: Apache-2.0

public import KithCurlTransport
internal import TestSupport

extension CurlTransport: ClosableTransport {}

extension CurlTransport {
  /// A transport that ignores the proxy variables of the environment.
  static func direct() -> CurlTransport { CurlTransport(Configuration(proxy: .none)) }
}
