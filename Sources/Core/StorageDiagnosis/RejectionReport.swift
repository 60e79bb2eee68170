// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
  package let clientTexts: SignedTexts?
  /// The strings that the service signed, or that it requires in the region that it names.
  ///
  /// `nil` if the request contains no readable signature, or if the cause concerns other things than these strings.
  package let serviceTexts: SignedTexts?
  package let basis: Basis

  /// The reason for which ``RejectionReport/clientTexts`` are taken for those that the client signed.
  package enum Basis: String, Sendable {
    /// The signature of the request is valid for these strings.
    case proven
    /// The strings follow from the request, whose signature was not compared.
    case stated
    /// No likely request has the signature that arrived.
    case unknown
  }

  /// Returns whether a response can mean that the signature does not match, which is what a search can explain.
  package static func concernsMismatch(_ response: RejectedResponse, of service: SignedService) -> Bool {
    response.reading(by: service.reader).mayBeMismatch(service.reader.refusalMeanings)
  }

  /// Creates a report about a rejected request.
  ///
  /// - Parameters:
  ///   - region: The region that signatures must contain, or `nil` if it is not known.
  ///   - isMismatch: Whether the service compared a wrong signature, or `nil` to derive it from the response.
  package init(
    of response: RejectedResponse, to request: HTTPRequest, signedFor service: SignedService, region: String? = nil,
    isMismatch: Bool? = nil, search: SignatureSearch?
  ) {
    let rejection = response.reading(by: service.reader)
    if isMismatch ?? rejection.mayBeMismatch(service.reader.refusalMeanings) {
      self.init(comparing: rejection, with: request, reader: service.reader, search: search)
    } else {
      self.init(ofStatement: rejection, about: request, reader: service.reader, region: region)
    }
  }

  /// Creates a report about a request whose signature the verifier of this process rejected.
  package init(ofMismatch request: HTTPRequest, signedFor service: SignedService, search: SignatureSearch) {
    self.init(comparing: .mismatch, with: request, reader: service.reader, search: search)
  }

  /// Creates a report about a rejection whose cause the response states, for example a wrong region.
  private init(
    ofStatement rejection: RejectedResponse.Reading, about request: HTTPRequest, reader: any SignatureReader,
    region: String?
  ) {
    let mask = SecretMask(SentRequest.tokens(of: request), masksNamedValues: true)
    diagnosis = reader.diagnosis(of: rejection, to: request)
    clientTexts = reader.texts(of: request)?.masked(by: mask)
    basis = clientTexts == nil ? .unknown : .stated
    var expectedRequest: HTTPRequest?
    if let diagnosis, diagnosis.cause == .wrongRegion, let region {
      expectedRequest = request.signed(in: region, insteadOf: diagnosis.sent)
    }
    serviceTexts = expectedRequest.flatMap { reader.texts(of: $0) }?.masked(by: mask)
  }

  /// Creates a report about a signature that does not match, from the strings of both sides.
  private init(
    comparing rejection: RejectedResponse.Reading, with request: HTTPRequest, reader: any SignatureReader,
    search: SignatureSearch?
  ) {
    let mask = SecretMask(SentRequest.tokens(of: request), masksNamedValues: true)
    let sentTexts = reader.texts(of: request)
    serviceTexts =
      rejection.stringToSign.map {
        SignedTexts(stringToSign: $0, canonicalRequest: rejection.canonicalRequest).masked(by: mask)
      } ?? sentTexts?.masked(by: mask)
    let origin = search?.origin(of: request)
    basis = origin == nil ? .unknown : .proven
    switch origin {
    case .request(let origin) where origin == request:
      diagnosis = reader.diagnosis(of: rejection, to: request)?.whenSignedAsSent
      clientTexts = sentTexts?.masked(by: mask)
    case .request(let origin):
      // The service signed what arrived, so that these strings are compared with the ones that the client signed.
      diagnosis = reader.diagnosis(of: rejection.showing(sentTexts), to: origin)
      clientTexts = reader.texts(of: origin)?.masked(by: mask)
    case .secret(let secret):
      diagnosis = secret.diagnosis
      clientTexts = serviceTexts
    case nil:
      let stated = reader.diagnosis(of: rejection, to: request)
      diagnosis = search != nil && stated?.cause == .unknown ? .searchedInVain : stated
      clientTexts = nil
    }
  }
}

extension SignatureReader {
  fileprivate func texts(of request: HTTPRequest) -> SignedTexts? { (try? signature(of: request))?.texts }

  fileprivate func diagnosis(of rejection: RejectedResponse.Reading, to request: HTTPRequest) -> SignatureDiagnosis? {
    SignatureDiagnosis(of: rejection, SentRequest(request, self, stringToSign: nil, canonicalRequest: nil))
  }
}

extension SignatureDiagnosis {
  fileprivate static let searchedInVain = SignatureDiagnosis(
    .unknown,
    explanation: """
      No likely change of the request explains the signature. The secret is wrong, or the client signed another string \
      than the service, such as one for another object.
      """,
    remedy: """
      Check the secret of the key. If it is right, compare the string to sign of this request with the one that the client \
      signed, line by line.
      """)
}

extension SignedTexts {
  fileprivate func masked(by mask: SecretMask) -> SignedTexts {
    SignedTexts(
      stringToSign: mask.applied(to: stringToSign), canonicalRequest: canonicalRequest.map { mask.applied(to: $0) })
  }
}

extension HTTPRequest {
  /// Returns the request with another region in the scope of its signature, or `nil` if it contains no such scope.
  fileprivate func signed(in region: String, insteadOf sentRegion: String?) -> HTTPRequest? {
    guard let sentRegion, !sentRegion.isEmpty else { return nil }
    var request = self
    if let authorization = headerFields[.authorization] {
      request.headerFields[.authorization] = authorization.replacing("/\(sentRegion)/", with: "/\(region)/")
    }
    // A presigned URL has the scope in a parameter, usually with its slashes escaped.
    let (path, query) = (request.path ?? "").splitOnce(at: "?")
    if var query {
      for slash in ["/", "%2F", "%2f"] {
        query = query.replacing("\(slash)\(sentRegion)\(slash)", with: "\(slash)\(region)\(slash)")
      }
      request.path = "\(path)?\(query)"
    }
    return request == self ? nil : request
  }
}
