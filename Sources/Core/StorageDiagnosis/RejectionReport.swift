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

  package let basis: Basis

  /// The basis on which the strings of a client are known.
  package enum Basis: String, Sendable {
    /// The signature of the request is valid for these strings.
    case proven
    /// The strings follow from the request, whose signature was not compared.
    case stated
    /// No likely request has the signature that arrived.
    case unknown
  }

  /// Returns whether a response is one to a signature that does not match, so that a search can find the cause.
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
    self.init(
      of: rejection, to: request, reader: service.reader, region: region,
      isMismatch: isMismatch ?? rejection.mayBeMismatch(service.reader.refusalMeanings), search: search)
  }

  /// Creates a report about a request whose signature the verifier of this process rejected.
  package init(ofMismatch request: HTTPRequest, signedFor service: SignedService, search: SignatureSearch) {
    self.init(of: .mismatch, to: request, reader: service.reader, region: nil, isMismatch: true, search: search)
  }

  private init(
    of rejection: RejectedResponse.Reading, to request: HTTPRequest, reader: any SignatureReader, region: String?,
    isMismatch: Bool, search: SignatureSearch?
  ) {
    let mask = SecretMask(SentRequest.tokens(of: request), masksNamedValues: true)
    func texts(of request: HTTPRequest) -> SignedTexts? { ((try? reader.signature(of: request)) ?? nil)?.texts }
    func masked(_ request: HTTPRequest) -> SignedTexts? { texts(of: request)?.masked(by: mask) }
    func diagnosis(_ rejection: RejectedResponse.Reading, _ request: HTTPRequest) -> SignatureDiagnosis? {
      SignatureDiagnosis(of: rejection, SentRequest(request, reader, stringToSign: nil, canonicalRequest: nil))
    }
    guard isMismatch else {
      self.diagnosis = diagnosis(rejection, request)
      client = masked(request)
      basis = client == nil ? .unknown : .stated
      var expected: HTTPRequest?
      if let diagnosis = self.diagnosis, diagnosis.cause == .wrongRegion, let region {
        expected = request.signed(in: region, insteadOf: diagnosis.sent)
      }
      service = expected.flatMap(masked)
      return
    }
    let serviceTexts =
      rejection.stringToSign.map {
        SignedTexts(stringToSign: $0, canonicalRequest: rejection.canonicalRequest).masked(by: mask)
      } ?? masked(request)
    service = serviceTexts
    switch search?.origin(of: request) {
    case .request(let origin) where origin == request:
      self.diagnosis = diagnosis(rejection, request)?.whenSignedAsSent
      client = masked(request)
      basis = .proven
    case .request(let origin):
      self.diagnosis = diagnosis(rejection.showing(texts(of: request)), origin)
      client = masked(origin)
      basis = .proven
    case .secret(let secret):
      self.diagnosis = secret.diagnosis
      client = serviceTexts
      basis = .proven
    case nil:
      let stated = diagnosis(rejection, request)
      self.diagnosis = search != nil && stated?.cause == .unknown ? .searchedInVain : stated
      client = nil
      basis = .unknown
    }
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
    for separator in ["/", "%2F", "%2f"] {
      let (path, query) = (request.path ?? "").cutOnce(at: "?")
      guard let query else { break }
      let changedQuery = query.replacing(
        "\(separator)\(sentRegion)\(separator)", with: "\(separator)\(region)\(separator)")
      request.path = "\(path)?\(changedQuery)"
    }
    return request == self ? nil : request
  }
}
