// SPDX-License-Identifier: Apache-2.0

import Glibc
import KithCore
import KithInsights
import KithOperations

extension ZonedCalendar {
  /// From the beginning of the network to the end of 2039.
  private static let years = Instant.networkBegan.secondsSinceEpoch..<2_208_988_800
  private static let day: Int64 = 86_400

  /// Reads a time zone from the system's tables: `Europe/Berlin`, `UTC`; `local` is the zone of `TZ` or of
  /// this machine.
  ///
  /// - Throws: ``CommandFault`` for an unknown zone.
  init(zone name: String) throws(CommandFault) {
    guard name.uppercased() != "UTC" else {
      self = .utc
      return
    }
    if name != "local" {
      guard Self.isKnown(name) else { throw CommandFault(.usage, .invalidTimeZone(name)) }
      setenv("TZ", name, 1)
    }
    tzset()
    var changes: [Change] = []
    let start = Self.secondsEast(at: Self.years.lowerBound)
    var last = start
    // Clocks change at most once a day; binary search finds the moment.
    for day in stride(from: Self.years.lowerBound, to: Self.years.upperBound, by: Int(Self.day)) {
      let end = day + Self.day
      let offset = Self.secondsEast(at: end)
      guard offset != last else { continue }
      var (low, high) = (day, end)
      while high - low > 1 {
        let middle = (low + high) / 2
        if Self.secondsEast(at: middle) == last { low = middle } else { high = middle }
      }
      changes.append(Change(at: Instant(secondsSinceEpoch: high), secondsEast: offset))
      last = offset
    }
    let zone = name == "local" ? Self.localName : name
    let shown = ["Etc/UTC", "Etc/UCT", "Zulu"].contains(zone) ? "UTC" : zone
    self.init(name: shown, secondsEast: start, changes: changes)
  }

  /// Whether the system has a table of that name. Rejects paths that leave the folder of the tables.
  private static func isKnown(_ name: String) -> Bool {
    guard !name.isEmpty, name.utf8.count < 64, !name.hasPrefix("/"), !name.contains("..") else {
      return false
    }
    let folder = getenv("TZDIR").map { String(cString: $0) } ?? "/usr/share/zoneinfo"
    var status = stat()
    return stat("\(folder)/\(name)", &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  private static func secondsEast(at second: Int64) -> Int {
    var (moment, fields) = (time_t(second), tm())
    return localtime_r(&moment, &fields) == nil ? 0 : fields.tm_gmtoff
  }

  /// The value of `TZ`, or the zone that `/etc/localtime` links to.
  private static var localName: String {
    if let name = getenv("TZ").map({ String(cString: $0) }), !name.isEmpty {
      return name.hasPrefix(":") ? String(name.dropFirst()) : name
    }
    guard let path = realpath("/etc/localtime", nil) else { return "local time" }
    defer { free(path) }
    let parts = String(cString: path).split(separator: "/")
    guard let folder = parts.firstIndex(of: "zoneinfo") else { return "local time" }
    return parts[(folder + 1)...].joined(separator: "/")
  }
}
