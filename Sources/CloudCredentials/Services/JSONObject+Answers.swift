internal import StorageAuth
internal import StorageJSON

extension JSONObject {
  /// The first of several names that is there.
  func first(_ names: [String]) -> (name: String, value: JSONValue)? {
    for name in names {
      if let value = self[name] { return (name, value) }
    }
    return nil
  }

  /// The texts that must not be shown: those of members whose names speak of a secret or a token, however deep.
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
