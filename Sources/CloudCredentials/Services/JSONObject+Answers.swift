// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageJSON

extension JSONObject {
  /// Returns the first of `names` that is present, with its value.
  func first(_ names: [String]) -> (name: String, value: JSONValue)? {
    for name in names {
      if let value = self[name] { return (name, value) }
    }
    return nil
  }

  /// The strings that errors must not show: values at any depth whose member names contain a word for a secret or a
  /// token.
  var secrets: [Secret] {
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
