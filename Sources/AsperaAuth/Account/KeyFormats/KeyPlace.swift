/// Where a key is, for errors.
struct KeyPlace {
  /// The beginning of a sentence: `The key file /home/mia/.ssh/aspera`.
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

  /// An error about the key.
  func error(_ code: AsperaError.Code, _ predicate: String, remedy: String) -> AsperaError {
    AsperaError(code, "\(name) \(predicate).", remedy: remedy)
  }
}
