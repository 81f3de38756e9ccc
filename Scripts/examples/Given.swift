// SPDX-License-Identifier: Apache-2.0

// What the examples of the documentation take as given. Scripts/check-examples compiles them beside this file; nothing
// here is ever run.

import KithClient
import KithCore
import KithCurlTransport
import KithHistory
import KithInsights
import KithLexicons
import KithOperations
import KithPosts
import KithRelationships
import KithStore
import KithSystemResolver
import KithTestSupport
import KithURLSessionTransport
import KithWording
import KithWriting

var transport: CurlTransport { fatalError() }
var appview: XRPCClient { fatalError() }
var sessions: SessionDirectory { fatalError() }
var journal: Journal { fatalError() }
var signedIn: XRPCClient { fatalError() }
var identities: IdentityDirectory { fatalError() }
var service: FollowRelationshipService { fatalError() }
var profiles: ProfileService { fatalError() }
var workspace: Workspace { fatalError() }
var me: DID { fatalError() }
var alice: DID { fatalError() }
var bob: DID { fatalError() }
var accounts: [DID] { fatalError() }
var now: Datetime { fatalError() }
var appPassword: String { fatalError() }
var folder: String { fatalError() }
var picture: Picture { fatalError() }

func show(_ values: Any...) {}
func confirm(_ count: Int) async throws {}

final class SelectedRows<Row: Sendable>: Sendable {
  var all: [Row] { fatalError() }
  func add(_ rows: [Row]) {}
}
