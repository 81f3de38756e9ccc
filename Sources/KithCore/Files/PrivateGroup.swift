// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// The group that many systems create for each user, with that user as its only member.
///
/// Such systems usually have a umask of 002, so a user's own folders can be writable for the group.
struct PrivateGroup: Sendable, Hashable {
  /// A group as the system describes it.
  struct Group: Sendable, Hashable {
    let id: UInt32
    let name: String
    let members: [String]
  }

  let user: String
  let primaryGroup: UInt32

  /// Whether a group is this user's private one.
  ///
  /// The member list of a group leaves out users whose primary group it is. That no other user has it is
  /// inferred from its name, which is the user's.
  func matches(_ group: Group) -> Bool {
    group.id == primaryGroup && group.name == user && group.members.allSatisfy { $0 == user }
  }

  /// Whether a group is the private one of a user; false if the system does not know the group or the user.
  static func isPrivate(_ group: UInt32, of user: UInt32) -> Bool {
    guard let owner = owner(user), let group = self.group(group) else { return false }
    return owner.matches(group)
  }

  /// Room for the longest entry; a group that does not fit is not private.
  private static let entrySize = 64 << 10

  private static func owner(_ user: UInt32) -> PrivateGroup? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: entrySize) { buffer in
      var entry = passwd()
      var found: UnsafeMutablePointer<passwd>?
      guard let room = buffer.baseAddress,
        getpwuid_r(user, &entry, room, buffer.count, &found) == 0, found != nil,
        let name = entry.pw_name
      else { return nil }
      return PrivateGroup(user: String(cString: name), primaryGroup: entry.pw_gid)
    }
  }

  private static func group(_ id: UInt32) -> Group? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: entrySize) { buffer in
      var entry = SystemGroup()
      var found: UnsafeMutablePointer<SystemGroup>?
      guard let room = buffer.baseAddress,
        getgrgid_r(id, &entry, room, buffer.count, &found) == 0, found != nil,
        let name = entry.gr_name
      else { return nil }
      var members: [String] = []
      var next = entry.gr_mem
      while let place = next, let member = place.pointee {
        members.append(String(cString: member))
        next = place + 1
      }
      return Group(id: entry.gr_gid, name: String(cString: name), members: members)
    }
  }
}

private typealias SystemGroup = group
