// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// A signature whose key is derived from the secret along a scope, as AWS4-HMAC-SHA256 and TC3-HMAC-SHA256 are.
package struct ScopedSignature: Sendable {
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

  /// The scope as the `Authorization` header contains it, such as `20261120/eu-central-1/sts/aws4_request`.
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

/// The parsed `Authorization` header of an ACS3 or TC3 signature.
package struct ServiceAuthorization: Sendable, Equatable {
  package let algorithm: String

  /// The value of `Credential`: the access key ID, followed in TC3 by a slash and the scope.
  package let credential: String

  package let signedHeaders: [String]

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
