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
    flatMap { name, value -> [Secret] in
      let name = name.lowercased()
      let isSecret = ["secret", "token", "password"].contains { name.contains($0) }
      if isSecret, let text = value.text { return [Secret(text)] }
      let objects = value.array ?? [value]
      return objects.flatMap { $0.object?.secrets ?? [] }
    }
  }
}
