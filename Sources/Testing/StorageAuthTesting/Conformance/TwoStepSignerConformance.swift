// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A conformance suite for signers in two steps, which checks an implementation against each ``TwoStepSignerRule``.
///
/// The suite plays the server that holds the key, with a function that signs a pending signature:
///
/// ```swift
/// let report = TwoStepSignerConformance(OBSSigner(), samples: samples) { pending, key in
///   key.authenticationCode(for: pending.stringToSign, using: .hmacSHA1).base64
/// }.report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct TwoStepSignerConformance<Subject: TwoStepSigner<AccessKey> & Presigner<AccessKey>>: Sendable {
  /// A function that returns the bare signature of a pending one, as the server that holds the key computes it.
  public typealias Server = @Sendable (_ pending: PendingSignature, _ key: AccessKey) throws -> String

  let signer: Subject
  let samples: [SigningSample<AccessKey>]
  let lifetime: Duration
  let server: Server

  /// Creates a suite for a signer in two steps.
  ///
  /// The signer must accept all `samples`. `lifetime` is that of URLs, in whole seconds.
  public init(
    _ signer: Subject, samples: [SigningSample<AccessKey>], lifetime: Duration = .seconds(60), server: @escaping Server
  ) {
    self.signer = signer
    self.samples = samples
    self.lifetime = lifetime
    self.server = server
  }

  /// Checks rules, and returns a report about the signer with one check for each of them.
  public func report(_ rules: [TwoStepSignerRule] = TwoStepSignerRule.allCases) -> ConformanceReport {
    ConformanceReport(of: Subject.self, rules) { rule in
      try samples.checkEach { sample in
        switch rule {
        case .headers: try checkHeaders(sample)
        case .urls: try checkURL(sample)
        case .authorization: try checkAuthorization(sample)
        case .refusal: try checkRefusal(sample)
        case .identity: try checkIdentity(sample)
        }
      }
    }
  }
}

/// A rule that an implementation of `TwoStepSigner` must follow.
public enum TwoStepSignerRule: String, CaseIterable, Sendable {
  /// Both steps together sign a request as `Signer` does.
  case headers = "preparing and finishing a request gives the request that signing gives"
  /// Both steps together sign a URL as `Presigner` does.
  case urls = "preparing and finishing a URL gives the URL, the headers and the expiration that presigning gives"
  /// The server may return the whole authorization.
  case authorization = "the whole authorization of the same key counts as its signature"
  /// Only a signature of the key that the request names is accepted.
  case refusal = "a malformed signature and the authorization of another id are rejected with invalidSignature"
  /// Only an identity that can be sent is accepted.
  case identity = "an identity that cannot be sent, or that expires before the URL, is rejected"
}

extension TwoStepSignerConformance {
  private typealias Sample = SigningSample<AccessKey>

  private func prepare(_ sample: Sample, as identity: Identity? = nil) throws(SigningError) -> PendingSignature {
    try signer.prepare(sample.request, as: identity ?? sample.credential.identity, in: .at(sample.date))
  }

  private func prepareURL(_ sample: Sample, as identity: Identity? = nil) throws(SigningError) -> PendingSignature {
    try signer.prepare(
      presigning: sample.request, as: identity ?? sample.credential.identity, validFor: lifetime, in: .at(sample.date))
  }

  private func checkHeaders(_ sample: Sample) throws {
    let pending = try prepare(sample)
    let finished = try signer.finish(pending, signature: server(pending, sample.credential))
    let signed = try signer.signed(sample.request, with: sample.credential, in: .at(sample.date))
    try require(finished == signed, "the finished request differs from the signed one")
    try require(!pending.isPresigned, "the pending signature of a request is one of a URL")
    try require(pending.identity == sample.credential.identity, "the pending signature has another identity")
  }

  private func checkURL(_ sample: Sample) throws {
    let pending = try prepareURL(sample)
    let finished = try signer.finish(pending, signature: server(pending, sample.credential))
    let signed = try signer.presign(sample.request, with: sample.credential, validFor: lifetime, in: .at(sample.date))
    let url = "\(finished.scheme ?? "")://\(finished.authority ?? "")\(finished.path ?? "")"
    try require(url == signed.url, "the finished URL differs from the presigned one")
    try require(pending.isPresigned, "the pending signature of a URL is one of a request")
    try require(pending.expiration == signed.expiration, "the pending URL has another expiration")
    try require(pending.signedHeaders == signed.headers, "the pending URL has other headers for its bearer")
  }

  private func checkAuthorization(_ sample: Sample) throws {
    let signed = try signer.signed(sample.request, with: sample.credential, in: .at(sample.date))
    guard let authorization = signed.headerFields[.authorization] else {
      throw NotTried(reason: "the signature is not in the header Authorization")
    }
    let finished = try signer.finish(prepare(sample), signature: authorization)
    try require(finished == signed, "the whole authorization has another result")
  }

  private func checkRefusal(_ sample: Sample) throws {
    let key = sample.credential
    let otherKey = AccessKey(id: AccessKeyID("\(key.id)x"), secret: key.secret, sessionToken: key.sessionToken)
    let signedWithOtherKey = try signer.signed(sample.request, with: otherKey, in: .at(sample.date))
    let foreignAuthorization = signedWithOtherKey.headerFields[.authorization]
    for pending in [try prepare(sample), try prepareURL(sample)] {
      let signature = try server(pending, key)
      let wrongSignatures = [
        "", " ", "x", "=", signature + "=", signature + "\n", " " + signature, String(signature.dropFirst()),
        String(signature.dropLast()), "x" + signature, signature + signature,
      ]
      for text in wrongSignatures + [foreignAuthorization].compactMap({ $0 }) {
        do throws(SigningError) { _ = try signer.finish(pending, signature: text) } catch {
          try require(error.code == .invalidSignature, "a wrong signature was rejected with the code \(error.code)")
          continue
        }
        throw Violation(
          "\(text == foreignAuthorization ? "the authorization of another id" : text.debugDescription) was accepted")
      }
    }
  }

  private func checkIdentity(_ sample: Sample) throws {
    // An unusable secret is no defect of the identity, which consists of the ID and the session token.
    let usableSecret = AccessKey.unusable[0].key.secret
    for (name, key) in AccessKey.unusable where key.secret == usableSecret {
      try requireUnsigned(name) { () throws(SigningError) in _ = try prepare(sample, as: key.identity) }
      try requireUnsigned("\(name) of a URL") { () throws(SigningError) in
        _ = try prepareURL(sample, as: key.identity)
      }
    }
    let key = sample.credential
    let expiration = sample.date.advanced(by: lifetime).advanced(by: .seconds(-1))
    try requireUnsigned("an identity that expires first") { () throws(SigningError) in
      _ = try prepareURL(sample, as: Identity(id: key.id, sessionToken: key.sessionToken, expiration: expiration))
    }
  }
}
