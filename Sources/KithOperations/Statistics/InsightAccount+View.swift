// SPDX-License-Identifier: Apache-2.0

import KithCore
import KithHistory
import KithInsights
import KithRelationships

extension InsightAccount {
  init(_ view: AccountView) {
    let handle = view.handle.flatMap { $0.isInvalid ? nil : $0.description }
    self.init(view.account, handle: handle, displayName: view.displayName)
  }
}
