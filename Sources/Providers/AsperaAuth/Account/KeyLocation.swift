// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The file or the setting that contains a key, which is the subject of error messages.
struct KeyLocation {
  /// The maximum size of the text of a key, in bytes: several times that of an RSA key of 16,384 bits.
  static let byteLimit = 1 << 16
  static let reencryptionRemedy = "Encrypt it anew: openssl pkcs8 -topk8 -v2 aes256."
  static let anotherKeyRemedy =
    "Create another one with ssh-keygen -t rsa -b 3072, and have its public key added to the server."

  /// The subject of an error message, such as `The key file /home/mia/.ssh/aspera`.
  let name: String

  /// Reads a key file; the access of other users is not checked.
  func contents(ofFile path: String, on context: ProviderContext) throws(AsperaError) -> FileContents {
    guard let absolutePath = context.absolute(path) else {
      throw error(.keyNotFound, "is in the home directory, which is not known", remedy: "Give its absolute path.")
    }
    do throws(FileReadError) {
      return try context.files.read(absolutePath, limit: Self.byteLimit)
    } catch {
      switch error {
      case .notFound: throw self.error(.keyNotFound, "does not exist", remedy: "Give the path of an existing file.")
      case .tooLarge: throw sizeError
      case .unreadable(let reason):
        throw self.error(
          .keyUnreadable, "cannot be read: \(reason)",
          remedy: "Allow the user that runs this program to read it, and no other user.")
      }
    }
  }

  /// Creates an error whose message consists of ``name`` and the given predicate.
  func error(_ code: AsperaError.Code, _ predicate: String, remedy: String) -> AsperaError {
    AsperaError(code, "\(name) \(predicate).", remedy: remedy)
  }

  func missingPassphraseError(cipher: String) -> AsperaError {
    error(
      .wrongPassphrase, "is encrypted (\(cipher)) and no passphrase is given",
      remedy: "Give the passphrase with the key; a blank one counts as none.")
  }

  var wrongPassphraseError: AsperaError {
    error(.wrongPassphrase, "is not opened by its passphrase", remedy: "Give the right one, or copy the key again.")
  }

  var sizeError: AsperaError {
    error(.malformedKey, "is longer than \(Self.byteLimit) bytes, and so not a key", remedy: "Give only the key.")
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

  /// Creates an error about a kind of key that SSH or ascp does not support; a name with `sk-` is a security key's.
  func error(forKind kind: String) -> AsperaError {
    error(
      .unsupportedKey,
      kind.hasPrefix("sk-")
        ? "requires a hardware security key (\(kind)), which ascp does not support"
        : "is of a kind that SSH does not support for logins: \(kind)", remedy: Self.anotherKeyRemedy)
  }
}

extension KeyLocation {
  init(_ source: AsperaPrivateKey.Source) {
    switch source {
    case .file(let path): name = "The key file \(path)"
    case .pem: name = "The key in memory"
    }
  }
}
