internal import HTTPTypes
package import StorageAuth
internal import StorageCrypto

/// The AWS4-HMAC-SHA256 signature of Amazon's services other than S3, step by step; for signing and for verifying.
///
/// The path is signed as it is: the calls that are signed here go to `/`. Page: "Create a signed AWS API request".
package struct SigV4Signature: Sendable {
  /// The name in the `Authorization` header.
  package static let algorithm = "AWS4-HMAC-SHA256"

  /// The region in the scope, such as `eu-central-1`.
  package let region: String

  /// The service in the scope, such as `sts`.
  package let service: String

  /// When the call was signed, to the second.
  package let date: Timestamp

  package init(region: String, service: String, date: Timestamp) {
    self.region = region
    self.service = service
    self.date = date
  }

  private var day: String { String(date.iso8601Basic.prefix(8)) }

  /// The text after the id in the authorization: `20261120/eu-central-1/sts/aws4_request`.
  package var scope: String { "\(day)/\(region)/\(service)/aws4_request" }

  /// The names of the headers that have to be signed, in lower case and in their order: the host, the content type and
  /// every `x-amz-` header.
  package static func signedHeaders(of call: ServiceCall) -> [String] {
    var names: Set = ["host"]
    for field in call.request.headerFields {
      let name = field.name.canonicalName
      if name == "content-type" || name.hasBytePrefix("x-amz-") { names.insert(name) }
    }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// The text that everything signed is put into.
  ///
  /// - Throws: A `SigningError` if a signed header is missing or there twice, or the query has a broken escape.
  package static func canonicalRequest(
    of call: ServiceCall, signing names: [String]
  ) throws(SigningError) -> String {
    var headers = ""
    for name in names {
      headers += "\(name):\(try call.signedValue(of: name).words(between: " ").joined(separator: " "))\n"
    }
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
  package func stringToSign(canonicalRequest: String) -> String {
    """
    \(Self.algorithm)
    \(date.iso8601Basic)
    \(scope)
    \(SHA256.hash { $0.append(canonicalRequest) }.hex)
    """
  }

  /// The signature in lower-case hexadecimal; the key is derived from the secret for a day, a region and a service.
  package func signature(of stringToSign: String, secret: Secret) -> String {
    let first = HMACKey<SHA256> { writer in
      writer.append("AWS4")
      secret.bytes.withBytes { writer.append($0) }
    }
    let key = [day, region, service, "aws4_request"].reduce(first) { key, part in key.derivedKey { $0.append(part) } }
    return key.authenticationCode(for: stringToSign).hex
  }

  /// The signature that a call has to carry.
  ///
  /// - Parameters:
  ///   - call: The call as it arrived.
  ///   - names: The names of the signed headers, as the authorization lists them.
  ///   - secret: The secret of the key that the authorization names.
  /// - Throws: A `SigningError` if the call cannot be put into its canonical form.
  package func expected(
    for call: ServiceCall, signing names: [String], secret: Secret
  ) throws(SigningError) -> String {
    let canonical = try Self.canonicalRequest(of: call, signing: names)
    return signature(of: stringToSign(canonicalRequest: canonical), secret: secret)
  }

  /// The parameters, sorted by the bytes of their encoded names, and of their encoded values where names are equal.
  private static func canonicalQuery(_ query: String) throws(SigningError) -> String {
    guard let pairs = FormPair.read(query) else { throw SigningError.unreadablePath }
    return FormPair.sorted(pairs.map { FormPair($0.name.percentEncoded(), $0.value.percentEncoded()) })
      .map { "\($0.name)=\($0.value)" }.joined(separator: "&")
  }
}

/// Signs calls of Amazon's services other than S3 (AWS4-HMAC-SHA256).
///
/// The date and the session token are added; the host, the content type and every `x-amz-` header are signed.
package struct SigV4Signer: Signer {
  package typealias Request = ServiceCall
  package typealias SigningCredential = AccessKey

  private let region: String
  private let service: String

  /// Sets up a signer.
  ///
  /// - Parameters:
  ///   - region: The region in the scope.
  ///   - service: The service in the scope, such as `sts`.
  package init(region: String, service: String) {
    self.region = region
    self.service = service
  }

  /// Two seconds, for the way to the service.
  package func requiredValidity(from date: Timestamp) -> Timestamp {
    date.advanced(by: .seconds(2))
  }

  package func sign(
    _ call: inout ServiceCall, with key: AccessKey, in context: SigningContext
  ) throws(SigningError) {
    if key.isAnonymous { return }
    try key.check()
    var signed = call
    signed.request.headerFields[.amzDate] = context.date.iso8601Basic
    signed.request.headerFields[.amzSecurityToken] = nil
    if let field = key.tokenField(named: .amzSecurityToken) { signed.request.headerFields.append(field) }
    let names = SigV4Signature.signedHeaders(of: signed)
    let scheme = SigV4Signature(region: region, service: service, date: context.date)
    let signature = try scheme.expected(for: signed, signing: names, secret: key.secret)
    signed.request.headerFields[.authorization] =
      "\(SigV4Signature.algorithm) Credential=\(key.id)/\(scheme.scope), "
      + "SignedHeaders=\(names.joined(separator: ";")), Signature=\(signature)"
    call = signed
  }
}

extension HTTPField.Name {
  fileprivate static let amzDate = known("X-Amz-Date")
  fileprivate static let amzSecurityToken = known("X-Amz-Security-Token")
}
