// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import KithSandbox

/// The sentences of this module's errors, in `errors.txt` (`make wording` writes it).
@Suite struct ErrorCatalogueTests {
  @Test func holdsEverySentence() throws {
    var catalogue = WordingCatalogue(beside: #filePath)
    for code in SandboxError.Code.all {
      catalogue.add("sandbox.\(code)", SandboxError(code, address: "127.0.0.1:80"))
      catalogue.add(
        "sandbox.\(code)", SandboxError(code, address: "127.0.0.1:80", detail: "Permission denied"))
    }
    #expect(try catalogue.differences() == [])
  }
}
