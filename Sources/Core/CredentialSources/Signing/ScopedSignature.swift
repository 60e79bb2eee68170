// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import StorageAuth
internal import StorageCrypto

/// A signature whose key is derived from the secret along a scope, as AWS4-HMAC-SHA256 and TC3-HMAC-SHA256 are.
package protocol ScopedSignature: Sendable {
  /// The name of the signature algorithm in the `Authorization` header.
  static var algorithm: String { get }
  /// The text before the secret in the HMAC key from which the signing key is derived.
  static var secretPrefix: String { get }

  /// The signing time as the string to sign contains it.
  var time: String { get }
  /// The parts of the scope, such as date and service, of which each derives a key from the key before it.
  var scopeParts: [String] { get }

  /// Returns the canonical request, which contains all parts of the request that are signed.
  ///
  /// - Parameter names: The lowercase names of the signed headers, in their order in the `Authorization` header.
  /// - Throws: A `SigningError` if a signed header is missing or repeated, or if the query cannot be parsed.
  static func canonicalRequest(of call: ServiceCall, signing names: [String]) throws(SigningError) -> String
}

extension ScopedSignature {
  /// The scope, such as `20261120/eu-central-1/sts/aws4_request`, which follows the access key ID in `Authorization`.
  package var scope: String { scopeParts.joined(separator: "/") }

  package func stringToSign(canonicalRequest: String) -> String {
    "\(Self.algorithm)\n\(time)\n\(scope)\n\(SHA256.hash { $0.append(canonicalRequest) }.hex)"
  }

  /// Returns the signature of a request, in lowercase hexadecimal.
  ///
  /// - Parameter names: The header names included in the signature, in their order in the `Authorization` header.
  package func signature(of call: ServiceCall, signing names: [String], secret: Secret) throws(SigningError) -> String {
    let stringToSign = stringToSign(canonicalRequest: try Self.canonicalRequest(of: call, signing: names))
    let firstKey = HMACKey<SHA256> { writer in
      writer.append(Self.secretPrefix)
      secret.bytes.withBytes { writer.append($0) }
    }
    return scopeParts.reduce(firstKey) { key, part in key.derivedKey { $0.append(part) } }
      .authenticationCode(for: stringToSign).hex
  }

  package func authorization(
    of call: ServiceCall, signing names: [String], with key: AccessKey
  ) throws(SigningError) -> String {
    let signature = try signature(of: call, signing: names, secret: key.secret)
    return
      "\(Self.algorithm) Credential=\(key.id)/\(scope), SignedHeaders=\(names.joined(separator: ";")), Signature=\(signature)"
  }
}

package protocol ServiceSigner: Signer where Request == ServiceCall, SigningCredential == AccessKey {}

/// The parsed `Authorization` header of an ACS3 or TC3 signature.
package struct ServiceAuthorization: Sendable, Equatable {
  package let algorithm: String
  /// The value of `Credential`: the access key ID, followed in TC3 by a slash and the scope.
  package let credential: String
  package let signedHeaders: [String]
  package let signature: String

  /// Parses an `Authorization` header, or returns `nil` if a component is missing, empty, unknown or repeated.
  package init?(_ header: String) {
    guard let algorithmEnd = header.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
    var components: [String: String] = [:]
    for item in header[algorithmEnd...].words(between: ",") {
      let pair = String(item).trimmingASCIIWhitespace().parts(between: "=", maxSplits: 1)
      guard pair.count == 2, components.updateValue(String(pair[1]), forKey: String(pair[0])) == nil else { return nil }
    }
    guard components.count == 3, let credential = components["Credential"], let names = components["SignedHeaders"],
      let signature = components["Signature"], !credential.isEmpty, !names.isEmpty, !signature.isEmpty
    else { return nil }
    algorithm = String(header[..<algorithmEnd])
    self.credential = credential
    signedHeaders = names.parts(between: ";").map(String.init)
    self.signature = signature
  }
}
