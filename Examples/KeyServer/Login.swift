// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The user name and password in the body of a login request.
package struct Login: Codable {
  let name: String
  let password: String

  /// Creates the body of a login request.
  package init(name: String, password: String) {
    self.name = name
    self.password = password
  }
}
