// SPDX-License-Identifier: Apache-2.0

internal import KithCore

/// The status and handle of each account: as generated, with later changes.
struct AccountStatuses: Sendable {
  let network: SandboxNetwork
  private var statuses: [Int: SandboxNetwork.Status] = [:]
  private var handles: [Int: Handle] = [:]
  private var indexesByHandle: [Handle: Int] = [:]

  init(_ network: SandboxNetwork) { self.network = network }

  /// The status of an account.
  func status(at index: Int) -> SandboxNetwork.Status { statuses[index] ?? network.status(at: index) }

  func handle(at index: Int) -> Handle { handles[index] ?? network.handles[index] }

  /// The account with this identifier, whatever its status; former handles are not found.
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
