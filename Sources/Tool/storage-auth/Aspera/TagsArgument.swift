// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import StorageJSON

/// An argument that contains the tags of a transfer: a JSON object, or `@` and the path of a file with one.
struct TagsArgument: ExpressibleByArgument {
  let object: JSONObject

  init?(argument: String) {
    let bytes =
      argument.hasPrefix("@")
      ? FileManager.default.contents(atPath: String(argument.dropFirst())).map { Array($0) } : Array(argument.utf8)
    guard let bytes, let object = (try? JSONValue(parsing: bytes))?.object else { return nil }
    self.object = object
  }
}
