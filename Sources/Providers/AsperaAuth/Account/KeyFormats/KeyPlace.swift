// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The location of a key as the subject of error messages.
struct KeyPlace {
  /// The subject of an error message, such as `The key file /home/mia/.ssh/aspera`.
  let name: String

  init(_ source: AsperaPrivateKey.Source) {
    switch source {
    case .file(let path): name = "The key file \(path)"
    case .pem: name = "The key in memory"
    }
  }

  init(publicKeyFile path: String) {
    name = "The public key file \(path)"
  }

  private init(name: String) {
    self.name = name
  }

  /// The subject for a key that signs bearer tokens.
  static let bearerKey = KeyPlace(name: "The key for bearer tokens")

  /// Creates an error about the key, whose message consists of ``name`` and the given predicate.
  func error(_ code: AsperaError.Code, _ predicate: String, remedy: String) -> AsperaError {
    AsperaError(code, "\(name) \(predicate).", remedy: remedy)
  }
}
