// SPDX-License-Identifier: Apache-2.0

import KithLocalMessages

extension Dashboard {
  /// The pages about accounts of this machine, and the form of one's own profile.
  static func addAccounts(to routes: inout LocalRoutes<Action>) {
    routes.add("GET", AccountsPage.address) { _, visit in try await AccountsPage(visit).response() }
    routes.add("GET", SignInPage.address) { _, visit in SignInPage(visit).response() }
    routes.add("POST", SignInPage.address) { _, visit in try await SignInPage(visit).signIn() }
    routes.add("POST", "/accounts/{account}/switch") { _, visit in
      try await AccountsPage(visit).switchAccount()
    }
    routes.add("GET", "/accounts/{account}/sign-out") { _, visit in try await SignOutPage(visit).response() }
    routes.add("POST", "/accounts/{account}/sign-out") { dashboard, visit in
      try await SignOutPage(visit).signOut(dashboard.jobs)
    }
    routes.add("GET", "/{account}/\(EditProfilePage.name)") { _, visit in
      try await EditProfilePage(visit).response()
    }
    routes.add("POST", "/{account}/\(EditProfilePage.name)") { dashboard, visit in
      try await EditProfilePage(visit).change(dashboard.jobs)
    }
  }
}
