// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A conformance suite for verifiers, which checks an implementation against each ``VerifierRule``.
///
/// A signer creates the requests. All rules except the first two change one property of a correctly signed request, its
/// key or its time, and expect a rejection.
///
/// ```swift
/// let headers = VerifierConformance(MyVerifier(), signer: MySigner(), samples: samples, signedHeaders: ["content-type"])
/// let urls = VerifierConformance(MyVerifier(), presigner: MySigner(), samples: samples)
/// try headers.report().throwIfFailed()
/// ```
public struct VerifierConformance<Subject: SignatureVerifier>: Sendable {
  /// The verifier to check.
  public let verifier: Subject

  /// The requests to sign and verify, with their credentials and signing times.
  public let samples: [SigningSample<AccessKey>]

  let placement: VerifiedRequest.Placement
  let sign: @Sendable (SigningSample<AccessKey>) throws(SigningError) -> SignedSample

  /// Creates a suite for requests with an authorization in their headers.
  ///
  /// - Parameters:
  ///   - verifier: The verifier to check.
  ///   - signer: The signer that signs the samples.
  ///   - samples: The requests to sign and verify.
  ///   - signedHeaders: The lowercase names of the headers that the signature covers if a request has them. Headers
  ///     that the signer adds need not be listed.
  public init(
    _ verifier: Subject, signer: some Signer<HTTPRequest, AccessKey>, samples: [SigningSample<AccessKey>],
    signedHeaders: Set<String> = []
  ) {
    self.verifier = verifier
    self.samples = samples
    placement = .header
    sign = { sample throws(SigningError) in
      let signed = try signer.signed(sample.request, with: sample.credential, in: .at(sample.date))
      let given = Set(sample.request.headerFields.map(\.name))
      let names = signed.headerFields.map(\.name).filter { name in
        !given.contains(name) || signedHeaders.contains(name.canonicalName)
      }
      return SignedSample(sample: sample, request: signed, signedFields: Set(names), expiration: nil)
    }
  }

  /// Creates a suite for presigned URLs.
  ///
  /// - Parameters:
  ///   - verifier: The verifier to check.
  ///   - presigner: The presigner that presigns the samples.
  ///   - samples: The requests to presign and verify.
  ///   - lifetime: The lifetime of the presigned URLs in whole seconds.
  public init(
    _ verifier: Subject, presigner: some Presigner<AccessKey>, samples: [SigningSample<AccessKey>],
    lifetime: Duration = .seconds(60)
  ) {
    self.verifier = verifier
    self.samples = samples
    placement = .query
    sign = { sample throws(SigningError) in
      let signed = try presigner.presign(
        sample.request, with: sample.credential, validFor: lifetime, in: .at(sample.date))
      var request = sample.request
      request.path = signed.pathAndQuery
      request.headerFields = signed.headers
      return SignedSample(
        sample: sample, request: request, signedFields: Set(signed.headers.map(\.name)),
        expiration: signed.expiration)
    }
  }

  /// Checks the verifier against the given rules.
  ///
  /// - Parameter rules: The rules to check. Leave out ``VerifierRule/host`` for a scheme that does not sign the host, and
  ///   ``VerifierRule/scope`` for a verifier that accepts every region.
  /// - Returns: A report with one check for each rule. The number of tries of a check includes each change of each
  ///   sample.
  public func report(_ rules: [VerifierRule] = VerifierRule.allCases) -> ConformanceReport {
    ConformanceReport(
      subject: "\(Subject.self)",
      checks: rules.map { rule in ConformanceReport.Check(rule.rawValue) { try check(rule) } })
  }

  private func check(_ rule: VerifierRule) throws -> Int {
    switch rule {
    case .acceptance: try forSigned(checkAcceptance)
    case .unsigned: try forSigned(checkUnsigned)
    case .path: try forSigned(checkPath)
    case .headers: try forSigned(checkHeaders)
    case .coverage: try forSigned(checkCoverage)
    case .controls: try forSigned(checkControls)
    case .parameters: try forSigned(checkParameters)
    case .scope: try forSigned(checkScope)
    case .method: try forSigned(checkMethod)
    case .host: try forSigned(checkHost)
    case .secret: try forSigned(checkSecret)
    case .time: try forSigned(checkTime)
    case .secrecy: try forSigned(checkSecrecy)
    }
  }

  /// Runs a check with each signed sample, and returns the sum of the tries.
  private func forSigned(_ check: (SignedSample) throws -> Int) throws -> Int {
    var tries = 0
    // Without the label, the call would be one of the standard library's method, which adds no name of a sample.
    _ = try samples.forEach(try: { sample in tries += try check(try sign(sample)) })
    return tries
  }
}

/// A conformance sample with its signed request.
struct SignedSample: Sendable {
  let sample: SigningSample<AccessKey>
  let request: HTTPRequest
  /// The names of the headers that the signature covers.
  let signedFields: Set<HTTPField.Name>
  /// The expiration of the presigned URL, or `nil` for a request with an authorization in its headers.
  let expiration: Timestamp?
}

extension PresignedRequest {
  /// The path and the query of the presigned URL.
  var pathAndQuery: String {
    guard let separator = url.firstRange(of: "://"),
      let slash = url[separator.upperBound...].utf8.firstIndex(of: UInt8(ascii: "/"))
    else { return url }
    return String(url[slash...])
  }
}
