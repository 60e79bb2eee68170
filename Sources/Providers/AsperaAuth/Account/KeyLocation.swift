// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The file or the setting that contains a key, which is the subject of error messages.
struct KeyLocation {
  /// The subject of an error message, such as `The key file /home/mia/.ssh/aspera`.
  let name: String

  /// Creates an error whose message consists of ``name`` and the given predicate.
  func error(_ code: AsperaError.Code, _ predicate: String, remedy: String) -> AsperaError {
    AsperaError(code, "\(name) \(predicate).", remedy: remedy)
  }

  var utf16Error: AsperaError {
    error(
      .malformedKey, "is text in UTF-16, as some editors on Windows save it",
      remedy: "Save it as ASCII or UTF-8: iconv -f UTF-16 -t UTF-8 KEY > KEY.pem.")
  }

  var escapedLineBreakError: AsperaError {
    error(.malformedKey, "has a backslash and an n where a line should end", remedy: "Put real line breaks into it.")
  }

  var dsaError: AsperaError {
    error(
      .unsupportedKey, "is a DSA key, which current SSH servers and clients refuse",
      remedy: """
        If this is IBM's public key (asperaweb_id_dsa.openssh, aspera_bypass_dsa.pem), use IBM's \
        aspera_tokenauth_id_rsa or aspera_bypass_rsa.pem. Otherwise create a key with ssh-keygen -t rsa -b 3072, and \
        have its public key added to the server.
        """)
  }

  func error(forKind kind: String) -> AsperaError {
    error(
      .unsupportedKey,
      kind.hasPrefix("sk-")
        ? "requires a hardware security key (\(kind)), which ascp does not support"
        : "is of a kind that SSH does not support for logins: \(kind)", remedy: Self.anotherKeyRemedy)
  }

  static let reencryptionRemedy = "Encrypt it anew: openssl pkcs8 -topk8 -v2 aes256."
  static let anotherKeyRemedy =
    "Create another one with ssh-keygen -t rsa -b 3072, and have its public key added to the server."
}

extension KeyLocation {
  init(_ source: AsperaPrivateKey.Source) {
    switch source {
    case .file(let path): name = "The key file \(path)"
    case .pem: name = "The key in memory"
    }
  }
}
