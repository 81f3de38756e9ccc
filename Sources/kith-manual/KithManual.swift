// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// `kith --experimental-dump-help | kith-manual VERSION DATE FOLDER`: writes a manual page for each command.
@main
struct KithManual {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst().map { $0 }
    guard arguments.count == 3, !arguments.contains(where: { $0.hasPrefix("-") }) else {
      end(64, "usage: kith --experimental-dump-help | kith-manual VERSION DATE FOLDER")
    }
    do {
      let manual = try Manual(json: input(), version: arguments[0], date: arguments[1])
      let folder = URL(filePath: arguments[2])
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for page in manual.pages {
        try Data(page.text.utf8).write(to: folder.appending(path: page.fileName))
      }
    } catch let error as DecodingError {
      end(65, "kith-manual: cannot decode the command tree on stdin: \(error)")
    } catch {
      end(74, "kith-manual: \(error)")
    }
  }

  private static func input() -> Data {
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(STDIN_FILENO, &buffer, buffer.count)
      guard count > 0 else { return data }
      data.append(contentsOf: buffer[..<count])
    }
  }

  private static func end(_ status: Int32, _ complaint: String) -> Never {
    let text = Array((complaint + "\n").utf8)
    _ = write(STDERR_FILENO, text, text.count)
    exit(status)
  }
}
