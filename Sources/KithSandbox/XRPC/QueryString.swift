// SPDX-License-Identifier: Apache-2.0

internal import KithCore
internal import KithLocalMessages

/// Decodes the percent-encoding of URLs, strictly.
enum QueryString {
  /// Parses the part after the `?` of a URL; a `+` is a space.
  ///
  /// - Throws: ``XRPCFault`` for an invalid escape or invalid UTF-8.
  static func items(of text: some StringProtocol) throws(XRPCFault) -> [XRPCQueryItem] {
    do throws(QueryItems.Fault) {
      return try QueryItems(text.utf8).items.map { XRPCQueryItem($0.name, $0.value) }
    } catch { throw XRPCFault(error) }
  }

  /// Decodes one component.
  static func decode(_ text: some Sequence<UInt8>) throws(XRPCFault) -> String {
    do throws(QueryItems.Fault) { return try QueryItems.decoded(text) } catch { throw XRPCFault(error) }
  }
}

extension XRPCFault {
  fileprivate init(_ fault: QueryItems.Fault) {
    switch fault {
    case .invalidEscape:
      self = .invalidRequest("a % in the URL is not followed by two hexadecimal digits")
    case .notUTF8: self = .invalidRequest("the URL is not UTF-8")
    }
  }
}
