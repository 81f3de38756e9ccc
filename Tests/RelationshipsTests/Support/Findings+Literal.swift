// SPDX-License-Identifier: Apache-2.0

import ATProtoCore

@testable import Relationships

extension Findings: ExpressibleByDictionaryLiteral {
  init(dictionaryLiteral elements: (DID, RelationshipFinding)...) {
    self.init()
    for (target, finding) in elements { append(finding, of: target) }
  }
}
