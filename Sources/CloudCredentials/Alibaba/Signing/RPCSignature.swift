package import StorageAuth
internal import StorageCrypto

/// The older signature of Alibaba Cloud's services (RPC, HMAC-SHA1), which stands among the parameters; for verifying
/// what older SDKs send.
package enum RPCSignature {
  /// The text that the key authenticates.
  ///
  /// - Parameters:
  ///   - method: The method of the request.
  ///   - parameters: Those of the query and of the form, decoded; `Signature` is left out.
  package static func stringToSign(method: String, parameters: [FormPair]) -> String {
    let signed = FormPair.sorted(parameters.filter { $0.name != "Signature" })
    return "\(method)&%2F&\(FormPair.written(signed).percentEncoded())"
  }

  /// The signature in Base64; the key is the secret with an ampersand at its end.
  package static func signature(of stringToSign: String, secret: Secret) -> String {
    let key = HMACKey<SHA1> { writer in
      secret.bytes.withBytes { writer.append($0) }
      writer.append(UInt8(ascii: "&"))
    }
    return key.authenticationCode(for: stringToSign).base64
  }
}
