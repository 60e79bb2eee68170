internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// The ACS3-HMAC-SHA256 signature of Alibaba Cloud's services, step by step; for signing and for verifying.
package enum ACS3Signature {
  /// The name in the `Authorization` header.
  package static let algorithm = "ACS3-HMAC-SHA256"

  /// The names of the headers that have to be signed, in lower case and in their order: the host, the content type and
  /// every `x-acs-` header.
  package static func signedHeaders(of call: ServiceCall) -> [String] {
    var names: Set = ["host"]
    for field in call.request.headerFields {
      let name = field.name.canonicalName
      if name == "content-type" || name.hasBytePrefix("x-acs-") { names.insert(name) }
    }
    return names.sorted()
  }

  /// The text that everything signed is put into.
  ///
  /// - Throws: A `SigningError` if a signed header is missing or there twice, or the query has a broken escape.
  package static func canonicalRequest(
    of call: ServiceCall, signing names: [String]
  ) throws(SigningError) -> String {
    var headers = ""
    for name in names { headers += "\(name):\(try call.signedValue(of: name))\n" }
    return """
      \(call.request.method.rawValue)
      \(call.path)
      \(try canonicalQuery(call.query))
      \(headers)
      \(names.joined(separator: ";"))
      \(call.bodyHash)
      """
  }

  /// The text that the key authenticates.
  package static func stringToSign(canonicalRequest: String) -> String {
    "\(algorithm)\n\(SHA256.hash { $0.append(canonicalRequest) }.hex)"
  }

  /// The signature in lower-case hexadecimal; the secret is the key as it is.
  package static func signature(of stringToSign: String, secret: Secret) -> String {
    secret.bytes.withBytes { HMACKey<SHA256>($0) }.authenticationCode(for: stringToSign).hex
  }

  /// The signature that a call has to carry.
  ///
  /// - Parameters:
  ///   - call: The call as it arrived.
  ///   - names: The names of the signed headers, as the authorization lists them.
  ///   - secret: The secret of whoever the authorization names.
  /// - Throws: A `SigningError` if the call cannot be put into its canonical form.
  package static func expected(
    for call: ServiceCall, signing names: [String], secret: Secret
  ) throws(SigningError) -> String {
    signature(of: stringToSign(canonicalRequest: try canonicalRequest(of: call, signing: names)), secret: secret)
  }

  private static func canonicalQuery(_ query: String) throws(SigningError) -> String {
    guard let pairs = FormPair.read(query) else { throw SigningError.unreadablePath }
    return FormPair.sorted(pairs).map(\.encoded).joined(separator: "&")
  }
}
