// SPDX-License-Identifier: Apache-2.0

public import ATProtoCore

/// One target to ask about, as it was named.
public struct RelationshipQuestion: Sendable, Hashable {
  /// The text that the target was named by; nil where it was named by its DID.
  public let input: String?
  /// Whom it names.
  public let target: Target
  /// The target as a listing brought it; nil where it came from elsewhere. Goes along to the answer.
  public let view: AccountView?

  /// What a text turned out to name.
  public enum Target: Sendable, Hashable {
    /// An account.
    case did(DID)
    /// A handle, to be resolved first: an AppView does not do so among targets (Q1).
    case handle(Handle)
    /// Nothing: the text is no identifier. Travels along so that its answer stands in its place.
    case unreadable(InputError)
  }

  /// Asks about whatever a text was read as.
  public init(input: String?, target: Target) {
    self.input = input
    self.target = target
    view = nil
  }

  /// Asks about an account.
  public init(_ did: DID) { self.init(input: nil, target: .did(did)) }

  /// Asks about an account that a listing has brought.
  public init(_ view: AccountView) {
    input = nil
    target = .did(view.account)
    self.view = view
  }

  /// Asks about an account that was named by a handle or a DID.
  public init(_ identifier: ATIdentifier) {
    switch identifier {
    case .did(let did): self.init(did)
    case .handle(let handle): self.init(input: handle.description, target: .handle(handle))
    }
  }

  /// Asks about whatever a person typed or pasted; see ``ActorInput``.
  ///
  /// - Parameter place: where the text stands, as `FILE:LINE`; goes into the error of a text that names nobody,
  ///   and is put into words only then.
  public init(typed text: String, at place: @autoclosure () -> String? = nil) {
    if let did = DID(plc: text) {
      self.init(did)
      return
    }
    do throws(InputError) {
      switch try ActorInput(parsing: text).identifier {
      case .did(let did): self.init(input: text, target: .did(did))
      case .handle(let handle): self.init(input: text, target: .handle(handle))
      }
    } catch {
      let error = InputError(text: error.text, reason: error.reason, place: place())
      self.init(input: text, target: .unreadable(error))
    }
  }
}
