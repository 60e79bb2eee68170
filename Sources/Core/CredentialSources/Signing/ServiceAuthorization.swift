// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The parsed `Authorization` header of an ACS3 or TC3 signature.
package struct ServiceAuthorization: Sendable, Equatable {
  /// The name of the signature algorithm: `ACS3-HMAC-SHA256` or `TC3-HMAC-SHA256`.
  package let algorithm: String

  /// The value of `Credential`: the access key ID, followed in TC3 by a slash and the scope.
  package let credential: String

  /// The header names in `SignedHeaders`, in their order in the header.
  package let signedHeaders: [String]

  /// The signature as hexadecimal digits.
  package let signature: String

  /// Parses an `Authorization` header, or returns `nil` if a component is missing, empty, unknown or repeated.
  package init?(_ header: String) {
    guard let blank = header.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
    var parts: [String: String] = [:]
    for item in header[blank...].words(between: ",") {
      let pair = String(item).trimmingBlanks().parts(between: "=", atMost: 1)
      guard pair.count == 2, parts.updateValue(String(pair[1]), forKey: String(pair[0])) == nil else { return nil }
    }
    guard parts.count == 3, let credential = parts["Credential"], let names = parts["SignedHeaders"],
      let signature = parts["Signature"], !credential.isEmpty, !names.isEmpty, !signature.isEmpty
    else { return nil }
    algorithm = String(header[..<blank])
    self.credential = credential
    signedHeaders = names.parts(between: ";").map(String.init)
    self.signature = signature
  }
}
