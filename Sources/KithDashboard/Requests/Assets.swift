// SPDX-License-Identifier: Apache-2.0

import KithCrypto
import KithInsights
import KithLocalMessages

/// The style sheet, the script and the sign. Their addresses have a hash, so that a browser keeps them until they change.
enum Assets {
  private struct File {
    let name: String
    let type: String
    let bytes: [UInt8]

    init(_ name: String, _ end: String, type: String, _ bytes: [UInt8]) {
      let hash = SHA256.digits(of: bytes).prefix(12)
      (self.name, self.type, self.bytes) = ("\(name).\(hash).\(end)", type, bytes)
    }
  }

  private static let style = File(
    "style", "css", type: "text/css", PackageResources.kith_css + Array(ReportStyle.charts.utf8))
  private static let script = File("script", "js", type: "text/javascript", PackageResources.kith_js)

  private static let icon = File("icon", "svg", type: "image/svg+xml", PackageResources.icon_svg)

  /// The addresses of the files.
  static let styleAddress = Gate.assets + style.name
  static let scriptAddress = Gate.assets + script.name

  static let iconAddress = Gate.assets + icon.name

  static func response(to request: LocalRequest) -> LocalResponse {
    let file = [style, script, icon].first { request.path == Gate.assets + $0.name }
    guard let file, request.method == "GET" || request.method == "HEAD" else {
      return .text(404, "There is no such file.")
    }
    return LocalResponse(contentType: "\(file.type); charset=utf-8", body: file.bytes)
  }
}
