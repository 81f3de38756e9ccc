// SPDX-License-Identifier: Apache-2.0

/// JSON that attacks by its shape, not by its content.
package enum HostileShape: String, Sendable, CaseIterable {
  /// `5,5,5…`: elements of two bytes.
  case wrongElements
  /// `{},{},{}…`
  case emptyElements
  /// `[],[],[]…`, deeper than the list of a response.
  case nestedElements
  /// An object with very many members.
  case wide
  case deep
  case longString
  case longName
  /// A number with very many digits.
  case hugeNumber
  /// Very many members with the same name.
  case repeatedNames
  /// Very many elements that end in the middle of one.
  case cutOff

  /// Returns a body of about that many bytes, and never more.
  ///
  /// - Parameter list: The member to attack.
  package func body(of list: String, bytes: Int) -> [UInt8] {
    let room = bytes - list.utf8.count - 512
    switch self {
    case .wrongElements: return Self.list(list, Self.repeated("5,", to: room) + "5")
    case .emptyElements: return Self.list(list, Self.repeated("{},", to: room) + "{}")
    case .nestedElements: return Self.list(list, "[" + Self.repeated("[],", to: room) + "[]]")
    case .wide:
      var members = ""
      var number = 0
      while members.utf8.count < room - 32 {
        members += "\"n\(number)\":5,"
        number += 1
      }
      return Array("{\"\(list)\":{\(members)\"n\":5}}".utf8)
    case .deep: return Self.list(list, String(repeating: "[", count: max(1, room)))
    case .longString: return Array("{\"\(list)\":\"\(String(repeating: "x", count: max(1, room)))\"}".utf8)
    case .longName: return Array("{\"\(String(repeating: "x", count: max(1, room)))\":5}".utf8)
    case .hugeNumber: return Array("{\"\(list)\":\(String(repeating: "9", count: max(1, room)))}".utf8)
    case .repeatedNames: return Array("{\(Self.repeated("\"\(list)\":[],", to: room))\"\(list)\":[]}".utf8)
    case .cutOff: return Array("{\"\(list)\":[\(Self.repeated("5,", to: room))".utf8)
    }
  }

  private static func list(_ name: String, _ elements: String) -> [UInt8] {
    Array("{\"\(name)\":[\(elements)]}".utf8)
  }

  private static func repeated(_ piece: String, to bytes: Int) -> String {
    String(repeating: piece, count: max(1, bytes / piece.utf8.count))
  }
}
