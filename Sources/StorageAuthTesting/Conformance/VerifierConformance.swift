public import HTTPTypes
public import StorageAuth

/// What a verifier has to keep, tried on one of your own with the requests of a signer.
///
/// Every rule but the first changes one thing about a rightly signed request and expects a refusal.
///
/// ```swift
/// let headers = VerifierConformance(MyVerifier(), signer: MySigner(), samples: samples, signedHeaders: ["content-type"])
/// let urls = VerifierConformance(MyVerifier(), presigner: MySigner(), samples: samples)
/// try headers.report().throwIfFailed()
/// ```
public struct VerifierConformance<Subject: SignatureVerifier>: Sendable {
  /// What is tried.
  public let verifier: Subject

  /// What it is tried with.
  public let samples: [SigningSample<AccessKey>]

  let placement: VerifiedRequest.Placement
  let sign: @Sendable (SigningSample<AccessKey>) throws(SigningError) -> SignedSample

  /// Sets up a suite for requests that are signed in their headers.
  ///
  /// - Parameters:
  ///   - verifier: What is tried.
  ///   - signer: Signs the samples.
  ///   - samples: What it is tried with.
  ///   - signedHeaders: The names of the headers, in lower case, that are signed where a request has them; those that the
  ///     signer adds need not be named.
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

  /// Sets up a suite for URLs that carry their authorization.
  ///
  /// - Parameters:
  ///   - verifier: What is tried.
  ///   - presigner: Signs the samples.
  ///   - samples: What it is tried with.
  ///   - lifetime: How long the URLs work, in whole seconds.
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

  /// Tries the verifier.
  ///
  /// - Parameter rules: Which rules; a scheme that does not sign the host leaves that rule out.
  /// - Returns: A check for each rule; how often it was tried counts each change of each sample.
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
    case .method: try forSigned(checkMethod)
    case .host: try forSigned(checkHost)
    case .secret: try forSigned(checkSecret)
    case .time: try forSigned(checkTime)
    case .secrecy: try forSigned(checkSecrecy)
    }
  }

  /// Tries something with each sample as it was signed, and adds up how often.
  private func forSigned(_ check: (SignedSample) throws -> Int) throws -> Int {
    var tries = 0
    _ = try samples.forEach { sample in tries += try check(try sign(sample)) }
    return tries
  }
}

/// A sample with its signature.
struct SignedSample: Sendable {
  let sample: SigningSample<AccessKey>
  let request: HTTPRequest
  /// The headers that the signature covers.
  let signedFields: Set<HTTPField.Name>
  /// When the URL ends; nothing for a request that is signed in its headers.
  let expiration: Timestamp?
}

extension PresignedRequest {
  /// What follows the host in the URL.
  var pathAndQuery: String {
    guard let separator = url.firstRange(of: "://"), let slash = url[separator.upperBound...].firstIndex(of: "/")
    else { return url }
    return String(url[slash...])
  }
}
