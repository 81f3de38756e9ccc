// SPDX-License-Identifier: Apache-2.0

package import KithCore
package import KithRelationships

extension DID {
  /// The display name of the account: its handle, or the DID if the handle is invalid.
  package func name(in view: AccountView?) -> String {
    if let handle = view?.handle, !handle.isInvalid { return handle.description }
    return description
  }
}
