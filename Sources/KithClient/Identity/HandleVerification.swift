// SPDX-License-Identifier: Apache-2.0

package import KithCore

/// What the domain of a handle says about its account, as checked from this machine.
package struct HandleVerification: Sendable {
  /// The answer of each source that was asked.
  package let answers: [HandleSource: Result<DID, IdentityError>]
  /// The account that the handle belongs to; ``IdentityError/Code/ambiguous`` if sources differ.
  package let owner: Result<DID, IdentityError>

  init(of handle: Handle, _ answers: [HandleSource: Result<DID, IdentityError>]) {
    self.answers = answers
    let found = Set(answers.values.compactMap { try? $0.get() })
    let faults = HandleSource.allCases.compactMap { source -> IdentityError? in
      if case .failure(let error)? = answers[source] { error } else { nil }
    }
    if let ambiguous = faults.first(where: { $0.code == .ambiguous }) {
      owner = .failure(ambiguous)
    } else if found.count > 1 {
      let names = found.map(\.description).sorted().joined(separator: " and ")
      owner = .failure(
        IdentityError(.ambiguous, subject: handle, detail: "DNS and web server disagree: \(names)"))
    } else if let did = found.first {
      owner = .success(did)
    } else {
      owner = .failure(
        faults.first { !$0.isConclusive } ?? faults.first
          ?? IdentityDirectory.noOutcome(handle))
    }
  }

  /// Returns the sources that name this account, in the order of ``HandleSource``.
  package func sources(naming did: DID) -> [HandleSource] {
    HandleSource.allCases.filter { if case .success(did)? = answers[$0] { true } else { false } }
  }
}

extension Handle {
  /// Whether it can be verified on the public network: some suffixes are reserved, or local to a network.
  /// Specification: <https://atproto.com/specs/handle#additional-non-syntax-restrictions>.
  var isPublicName: Bool { !isInvalid && !InternalNames.contain(description) }
}
