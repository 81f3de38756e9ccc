// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithInsights
import TestSupport

extension ZonedCalendar {
  /// Time zones with changes at midnight, by half an hour, never, in the southern hemisphere, and beyond
  /// twelve hours.
  static let testedZones = [
    "UTC", "Europe/Berlin", "America/New_York", "America/Santiago", "America/Havana", "Asia/Beirut",
    "Africa/Cairo", "Atlantic/Azores", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Kiritimati",
    "Pacific/Chatham", "Asia/Tehran", "Asia/Amman", "America/Asuncion",
  ]

  private struct Zone: Encodable { let zone: String }

  /// The tested zones, as the time zone database of Python has them.
  static func recomputed() throws -> [String: ZonedCalendar] {
    let found = try Recomputation.figures("zone-changes", testedZones.map(Zone.init))
    return Dictionary(
      uniqueKeysWithValues: zip(testedZones, found).map { zone, figures in
        let start = figures["start", default: []].compactMap(\.self).first ?? 0
        let changes = zip(figures["moments", default: []], figures["offsets", default: []]).compactMap {
          moment, offset in
          moment.flatMap { moment in
            offset.map { ZonedCalendar.Change(at: Instant(Int64(moment)), secondsEast: Int($0)) }
          }
        }
        return (zone, ZonedCalendar(name: zone, secondsEast: Int(start), changes: changes))
      })
  }
}
