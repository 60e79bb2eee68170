package import HTTPTypes
package import StorageAuth
internal import StorageCrypto

extension COSVerifier {
  /// The texts that the signature of a request covers, read as the service reads them.
  ///
  /// - Parameters:
  ///   - claim: What the request says about its signature.
  ///   - request: The request.
  /// - Throws: A `SigningError` if the request cannot be read in one way only.
  package func texts(of claim: COSClaim, in request: HTTPRequest) throws(SigningError) -> SignedTexts {
    let reading = COSHTTPString(policy: .only(Set(claim.headers)), parameterNames: claim.parameterNames)
    let (text, hash) = try reading.with(asSigned(request, claim)) { text, _, _ in
      (String(writing: text), SHA1.hash(writing: text))
    }
    return SignedTexts(
      stringToSign: String(writing: { $0.append(cosStringToSign: hash, in: claim.window) }), canonicalRequest: text)
  }
}

extension COSClaim {
  /// The names of the headers that the signature lists, in lower case.
  package var signedHeaders: [String] { headers }

  /// The names of the parameters that the signature lists, in lower case.
  package var signedParameters: [String] { parameters }
}
