internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// The TC3-HMAC-SHA256 signature of Tencent Cloud's services, step by step; for signing and for verifying.
package struct TC3Signature: Sendable {
  /// The name in the `Authorization` header.
  package static let algorithm = "TC3-HMAC-SHA256"

  /// The service in the scope, such as `sts`.
  package let service: String

  /// When the call was signed, to the second.
  package let date: Timestamp

  package init(service: String, date: Timestamp) {
    self.service = service
    self.date = date
  }

  private var day: String { String(date.iso8601.prefix(10)) }

  /// What follows the id in the authorization: `2026-11-20/sts/tc3_request`.
  package var scope: String { "\(day)/\(service)/tc3_request" }

  /// The text that everything signed is put into; the values of headers are in lower case.
  ///
  /// - Throws: A `SigningError` if a signed header is missing or there twice.
  package static func canonicalRequest(
    of call: ServiceCall, signing names: [String]
  ) throws(SigningError) -> String {
    var headers = ""
    for name in names { headers += "\(name):\(try call.signedValue(of: name).asciiLowercased)\n" }
    return """
      \(call.request.method.rawValue)
      \(call.path)
      \(call.query)
      \(headers)
      \(names.joined(separator: ";"))
      \(call.bodyHash)
      """
  }

  /// The text that the key authenticates.
  package func stringToSign(canonicalRequest: String) -> String {
    """
    \(Self.algorithm)
    \(date.unixSeconds)
    \(scope)
    \(SHA256.hash { $0.append(canonicalRequest) }.hex)
    """
  }

  /// The signature in lower-case hexadecimal; the key is derived from the secret for a day and a service.
  package func signature(of stringToSign: String, secret: Secret) -> String {
    let first = HMACKey<SHA256> { writer in
      writer.append("TC3")
      secret.bytes.withBytes { writer.append($0) }
    }
    let dayKey = first.derivedKey { $0.append(day) }
    let serviceKey = dayKey.derivedKey { $0.append(service) }
    let key = serviceKey.derivedKey { $0.append("tc3_request") }
    return key.authenticationCode(for: stringToSign).hex
  }

  /// The signature that a call has to carry.
  ///
  /// - Parameters:
  ///   - call: The call as it arrived.
  ///   - names: The names of the signed headers, as the authorization lists them.
  ///   - secret: The secret of whoever the authorization names.
  /// - Throws: A `SigningError` if the call cannot be put into its canonical form.
  package func expected(
    for call: ServiceCall, signing names: [String], secret: Secret
  ) throws(SigningError) -> String {
    let canonical = try Self.canonicalRequest(of: call, signing: names)
    return signature(of: stringToSign(canonicalRequest: canonical), secret: secret)
  }
}
