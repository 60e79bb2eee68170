// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// A signature whose key is derived from the secret along a scope, as AWS4-HMAC-SHA256 and TC3-HMAC-SHA256 are.
package struct ScopedSignature: Sendable {
  /// The name of the signature algorithm in the `Authorization` header.
  package let algorithm: String

  /// The text before the secret in the first key.
  let secretPrefix: String

  /// The signing time as the string to sign contains it.
  let date: String

  /// The parts of the scope, of which each derives a key from the key before it.
  let parts: [String]

  package init(_ algorithm: String, secretPrefix: String, date: String, scope: [String]) {
    self.algorithm = algorithm
    self.secretPrefix = secretPrefix
    self.date = date
    parts = scope
  }

  /// The signature's scope, which follows the access key ID in the `Authorization` header.
  ///
  /// An example is `20261120/eu-central-1/sts/aws4_request`.
  package var scope: String { parts.joined(separator: "/") }

  /// Returns the string to sign: the algorithm name, the time, the scope and the hash of the canonical request.
  package func stringToSign(canonicalRequest: String) -> String {
    "\(algorithm)\n\(date)\n\(scope)\n\(SHA256.hash { $0.append(canonicalRequest) }.hex)"
  }

  /// Returns the signature of a string to sign, in lowercase hexadecimal.
  package func signature(of stringToSign: String, secret: Secret) -> String {
    let first = HMACKey<SHA256> { writer in
      writer.append(secretPrefix)
      secret.bytes.withBytes { writer.append($0) }
    }
    return parts.reduce(first) { key, part in key.derivedKey { $0.append(part) } }
      .authenticationCode(for: stringToSign).hex
  }

  /// Returns the value of the `Authorization` header.
  ///
  /// - Parameters:
  ///   - id: The ID of the access key.
  ///   - names: The header names included in the signature.
  ///   - signature: The signature.
  package func authorization(id: AccessKeyID, signing names: [String], signature: String) -> String {
    "\(algorithm) Credential=\(id)/\(scope), SignedHeaders=\(names.joined(separator: ";")), Signature=\(signature)"
  }
}

extension ServiceCall {
  /// Returns the names of the headers `host` and `content-type` and of those with a prefix, in lowercase and sorted.
  package func signedHeaders(prefixed prefix: String) -> [String] {
    var names: Set = ["host"]
    for field in request.headerFields {
      let name = field.name.canonicalName
      if name == "content-type" || name.hasBytePrefix(prefix) { names.insert(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns the canonical request: the method, the path, the query, the signed headers and the hash of the body.
  ///
  /// - Parameters:
  ///   - query: The canonical query.
  ///   - names: The header names included in the signature.
  ///   - value: A function that returns a header's canonical value.
  /// - Throws: A `SigningError` if a signed header is missing or repeated.
  package func canonicalRequest(
    query: String, signing names: [String], value: (String) -> String = { $0 }
  ) throws(SigningError) -> String {
    var headers = ""
    for name in names { headers += "\(name):\(value(try signedValue(of: name)))\n" }
    return """
      \(request.method.rawValue)
      \(path)
      \(query)
      \(headers)
      \(names.joined(separator: ";"))
      \(bodyHash)
      """
  }
}
