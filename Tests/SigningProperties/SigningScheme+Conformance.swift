// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
package import StorageAuth
package import StorageAuthTesting

extension SigningScheme {
  /// Returns the samples of the first seeds.
  package func samples(_ count: Int) throws -> [SigningSample<AccessKey>] {
    try maker.samples(seeds: Properties.seeds(count))
  }

  /// Checks that the signer conforms to rules.
  package func signs(_ samples: [SigningSample<AccessKey>], keeping rules: SignerRule...) throws {
    try check(SignerConformance(signer, samples: samples).report(rules))
  }

  /// Checks that the signer conforms to rules for URLs.
  package func presigns(_ samples: [SigningSample<AccessKey>], keeping rules: PresignerRule...) throws {
    try check(PresignerConformance(signer, samples: samples).report(rules))
  }

  /// Checks that the verifier conforms to rules for requests that are signed in their headers.
  ///
  /// - Returns: The count of verified requests.
  @discardableResult
  package func verifiesHeaders(
    _ samples: [SigningSample<AccessKey>], keeping rules: VerifierRule...
  ) throws -> Int {
    let suite = VerifierConformance(
      verifier, signer: signer, samples: samples, signedHeaders: Set(maker.headers))
    return try check(suite.report(rules))
  }

  /// Checks that the verifier conforms to rules for URLs that carry their authorization.
  ///
  /// - Returns: The count of verified requests.
  @discardableResult
  package func verifiesURLs(
    _ samples: [SigningSample<AccessKey>], lifetime: Duration = .seconds(60), keeping rules: VerifierRule...
  ) throws -> Int {
    let suite = VerifierConformance(verifier, presigner: signer, samples: samples, lifetime: lifetime)
    return try check(suite.report(rules))
  }

  /// Checks that preparing and finishing, with a server between them, equals signing in one step.
  package func signsInTwoSteps(
    _ samples: [SigningSample<AccessKey>], keeping rules: [TwoStepSignerRule] = TwoStepSignerRule.allCases
  ) throws {
    let suite = TwoStepSignerConformance(signer, samples: samples) { remoteSignature($0, $1.secret.reveal()) }
    try check(suite.report(rules))
  }

  /// Checks that a signer of strings conforms to rules for the strings that the scheme's signer prepares.
  package func signsStrings(
    of samples: [SigningSample<AccessKey>], with server: some StringToSignSigner,
    ambiguities: [(request: HTTPRequest, targets: [RequestTarget])] = []
  ) throws {
    // A policy can allow plain requests of permanent keys.
    let plain = try SampleMaker(endpoint: maker.endpoint, bucket: maker.bucket).samples(count: 20).filter {
      $0.credential.sessionToken == nil && $0.request.method != .post && $0.request.path?.contains("%3F") == false
    }
    let suite = StringToSignSignerConformance(
      server, client: signer, samples: plain + samples, ambiguities: ambiguities)
    try check(suite.report(StringToSignSignerRule.allCases.filter { $0 != .ambiguity || !ambiguities.isEmpty }))
  }

  /// Checks that a report tried every rule and found no violation.
  ///
  /// - Returns: The count of trials.
  @discardableResult
  private func check(_ report: ConformanceReport) throws -> Int {
    try report.checks.reduce(0) { sum, check in
      guard case .kept(let tries) = check.outcome else { throw Violation("\(name): \(report)") }
      return sum + tries
    }
  }
}
