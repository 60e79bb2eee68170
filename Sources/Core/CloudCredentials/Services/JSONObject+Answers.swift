// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageAuth

extension JSONObject {
  /// Returns the first member whose name is in `names`, in the order of `names`, or `nil` if there is no such member.
  func first(_ names: [String]) -> (name: String, value: JSONValue)? {
    for name in names {
      if let value = self[name] { return (name, value) }
    }
    return nil
  }

  /// The strings in this object that error messages must not show.
  ///
  /// They are the string values, at any depth, of members whose names contain a word for a secret or a token.
  package var secrets: [Secret] {
    var found: [Secret] = []
    collectSecrets(into: &found)
    return found
  }

  private func collectSecrets(into found: inout [Secret]) {
    for (name, value) in self {
      if let text = value.string, namesSecret(name) { found.append(Secret(text)) }
      for value in value.array ?? [value] { value.object?.collectSecrets(into: &found) }
    }
  }
}
