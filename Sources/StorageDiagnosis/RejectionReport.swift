// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth

/// A rejected signature as its service can explain it: the diagnosis, and the strings of both sides.
///
/// A service that knows the key can find the string that the client signed: it is the string of a likely request whose
/// signature is the one that arrived. Session tokens are masked in all strings.
package struct RejectionReport: Sendable {
  /// The explanation, or `nil` if the response concerns neither the signature nor its key.
  package let diagnosis: SignatureDiagnosis?

  /// The strings that the client signed, or `nil` if they are unknown.
  package let client: SignedTexts?

  /// The strings that the service signed, or that it requires; `nil` if they are those of the client.
  package let service: SignedTexts?

  /// The basis on which the client's strings are known.
  package let basis: Basis

  /// The basis on which the strings of a client are known.
  package enum Basis: String, Sendable {
    /// The signature of the request is valid for these strings.
    case proven
    /// The strings follow from the request, whose signature was not compared.
    case stated
    /// The client's strings are unknown.
    case unknown
  }

  /// Creates a report about a rejected request.
  ///
  /// - Parameters:
  ///   - answer: The response of the service.
  ///   - request: The request as it arrived.
  ///   - service: The service that rejected the request.
  ///   - region: The region that signatures must contain, or `nil` if it is not known.
  ///   - isMismatch: Whether the service compared the signature, and it does not match.
  ///   - fits: A closure that returns whether the signature is valid for another request.
  package init(
    of answer: RefusedAnswer, to request: HTTPRequest, signedFor service: SignedService, region: String?,
    isMismatch: Bool, fits: (HTTPRequest) -> Bool
  ) {
    let reader = service.reader
    let mask = SecretMask(SentRequest.tokens(of: request), masksNamedValues: true)
    func texts(of request: HTTPRequest) -> SignedTexts? {
      guard let texts = ((try? reader.signature(of: request)) ?? nil)?.texts else { return nil }
      return texts.masked(by: mask)
    }
    guard isMismatch else {
      diagnosis = SignatureDiagnosis(of: answer, to: request, signedFor: service)
      client = texts(of: request)
      basis = client == nil ? .unknown : .stated
      var expected: HTTPRequest?
      if let diagnosis, diagnosis.cause == .wrongRegion, let region {
        expected = request.signed(in: region, insteadOf: diagnosis.sent)
      }
      self.service = expected.flatMap(texts)
      return
    }
    let origin = LikelyOrigin.all(of: request).first(where: fits)
    diagnosis = SignatureDiagnosis(of: answer, to: origin ?? request, signedFor: service)
    client = origin.flatMap(texts)
    basis = client == nil ? .unknown : .proven
    let reading = answer.reading(by: reader)
    self.service =
      reading.stringToSign.map {
        SignedTexts(stringToSign: $0, canonicalRequest: reading.canonicalRequest).masked(by: mask)
      } ?? texts(of: request)
  }
}

extension SignedTexts {
  fileprivate func masked(by mask: SecretMask) -> SignedTexts {
    SignedTexts(
      stringToSign: mask.applied(to: stringToSign), canonicalRequest: canonicalRequest.map { mask.applied(to: $0) })
  }
}

extension HTTPRequest {
  /// Returns the request with another region in the scope of its signature, or `nil` if it contains no such scope.
  fileprivate func signed(in region: String, insteadOf sent: String?) -> HTTPRequest? {
    guard let sent, !sent.isEmpty else { return nil }
    var request = self
    if let authorization = headerFields[.authorization] {
      request.headerFields[.authorization] = authorization.replacing("/\(sent)/", with: "/\(region)/")
    }
    for separator in ["/", "%2F", "%2f"] {
      let (path, query) = (request.path ?? "").cutOnce(at: "?")
      guard let query else { break }
      let changed = query.replacing("\(separator)\(sent)\(separator)", with: "\(separator)\(region)\(separator)")
      request.path = "\(path)?\(changed)"
    }
    return request == self ? nil : request
  }
}
