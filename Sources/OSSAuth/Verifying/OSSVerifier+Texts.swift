package import HTTPTypes
package import StorageAuth
internal import StorageCrypto

extension OSSVerifier {
  /// The texts that the signature of a request covers, read as the service reads them.
  ///
  /// - Parameters:
  ///   - claim: What the request says about its signature.
  ///   - request: The request.
  /// - Throws: A `SigningError` if the request cannot be read in one way only.
  package func texts(of claim: OSSClaim, in request: HTTPRequest) throws(SigningError) -> SignedTexts {
    switch claim.scheme {
    case .v1(let scheme):
      let text = OSSV1String(resource: resource(of: request), subresources: OSSSubresources())
      return SignedTexts(
        stringToSign: try text.with(request, date: scheme.line) { String(writing: $0) }, canonicalRequest: nil)
    case .v4(let scheme):
      let text = OSSV4Request(resource: resource(of: request), additional: scheme.additionalHeaders)
      let omitted: StaticString? = claim.placement == .query ? "x-oss-signature" : nil
      let (canonical, hash) = try text.with(request, omitting: omitted) {
        (String(writing: $0), SHA256.hash(writing: $0))
      }
      let scope = OSSV4Scope(date: scheme.date, region: scheme.region, product: scheme.product)
      return SignedTexts(
        stringToSign: String(writing: {
          scope.append(stringToSign: hash, dateLine: { $0.append(scheme.dateLines[0]) }, to: &$0)
        }),
        canonicalRequest: canonical)
    }
  }
}

extension OSSClaim {
  /// The region that a V4 signature names.
  package var region: String? {
    if case .v4(let scheme) = scheme { scheme.region } else { nil }
  }

  /// The product that a V4 signature names.
  package var product: String? {
    if case .v4(let scheme) = scheme { scheme.product } else { nil }
  }

  /// The day that the scope of a V4 signature names.
  package var day: String? {
    if case .v4(let scheme) = scheme { scheme.day } else { nil }
  }

  /// When the request was signed; the URLs of V1 do not say.
  package var signedAt: Timestamp? {
    switch scheme {
    case .v1(let scheme): placement == .header ? scheme.instant : nil
    case .v4(let scheme): scheme.date
    }
  }

  /// When a URL ends.
  package var expiration: Timestamp? {
    switch scheme {
    case .v1(let scheme): placement == .query ? scheme.instant : nil
    case .v4(let scheme): scheme.lifetime.map { scheme.date.advanced(by: .seconds($0)) }
    }
  }
}
