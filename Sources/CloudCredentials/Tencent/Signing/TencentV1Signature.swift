package import StorageAuth
internal import StorageCrypto

/// The older signature of Tencent Cloud's services, which stands among the parameters; for verifying what the vendor's
/// temporary-key SDKs send.
package enum TencentV1Signature {
  /// The text that the key authenticates: the parameters are in it as they are, not encoded.
  ///
  /// - Parameters:
  ///   - method: The method of the request.
  ///   - host: The host.
  ///   - path: The path without its query.
  ///   - parameters: Those of the query and of the form, decoded once; `Signature` is left out.
  package static func stringToSign(
    method: String, host: String, path: String = "/", parameters: [FormPair]
  ) -> String {
    let signed = FormPair.sorted(parameters.filter { $0.name != "Signature" })
    return "\(method)\(host)\(path)?" + signed.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }

  /// The signature in Base64.
  ///
  /// - Parameters:
  ///   - stringToSign: The text.
  ///   - secret: The secret.
  ///   - method: The parameter `SignatureMethod`: HMAC-SHA256 for `HmacSHA256`, else HMAC-SHA1.
  package static func signature(of stringToSign: String, secret: Secret, method: String? = nil) -> String {
    secret.bytes.withBytes { secret in
      method == "HmacSHA256"
        ? HMACKey<SHA256>(secret).authenticationCode(for: stringToSign).base64
        : HMACKey<SHA1>(secret).authenticationCode(for: stringToSign).base64
    }
  }
}
