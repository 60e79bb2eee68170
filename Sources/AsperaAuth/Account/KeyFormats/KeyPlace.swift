// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The location of a key, for error messages.
struct KeyPlace {
  /// The subject of a sentence, such as `The key file /home/mia/.ssh/aspera`.
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

  /// Creates an error about the key; the predicate completes the sentence that starts with ``name``.
  func error(_ code: AsperaError.Code, _ predicate: String, remedy: String) -> AsperaError {
    AsperaError(code, "\(name) \(predicate).", remedy: remedy)
  }
}
