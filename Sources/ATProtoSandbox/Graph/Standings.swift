// SPDX-License-Identifier: Apache-2.0

internal import ATProtoCore

/// Which accounts servers show, and by which handles: as the network was made, and as it changed since.
struct Standings: Sendable {
  let network: SandboxNetwork
  private var statuses: [Int: SandboxNetwork.Status] = [:]
  private var handles: [Int: Handle] = [:]
  private var indexesByHandle: [Handle: Int] = [:]

  init(_ network: SandboxNetwork) { self.network = network }

  /// What became of an account of the network.
  func status(at index: Int) -> SandboxNetwork.Status { statuses[index] ?? network.status(at: index) }

  func handle(at index: Int) -> Handle { handles[index] ?? network.handles[index] }

  /// The account that an identifier names, whatever its status; an earlier handle names nobody.
  func index(of actor: ATIdentifier) -> Int? {
    switch actor {
    case .did(let did): return network.index(of: did)
    case .handle(let handle):
      if let index = indexesByHandle[handle] { return index }
      guard let index = network.index(of: handle), handles[index] == nil else { return nil }
      return index
    }
  }

  mutating func set(_ status: SandboxNetwork.Status, at index: Int) { statuses[index] = status }

  mutating func rename(_ index: Int, to handle: Handle) {
    if let former = handles[index] { indexesByHandle[former] = nil }
    handles[index] = handle
    indexesByHandle[handle] = index
  }
}
