// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth

/// A conformance suite for presigners, which checks an implementation against each ``PresignerRule``.
///
/// ```swift
/// let report = PresignerConformance(MySigner(), samples: samples).report()
/// XCTAssertTrue(report.isConforming, "\(report)")
/// ```
public struct PresignerConformance<Subject: Presigner>: Sendable {
  /// The presigner to check.
  public let presigner: Subject

  /// The requests to presign, with their credentials and signing times.
  public let samples: [SigningSample<Subject.SigningCredential>]

  /// The lifetime of the presigned URLs.
  public let lifetime: Duration

  /// The anonymous credential, or `nil` if the scheme has no anonymous credential.
  public let anonymous: Subject.SigningCredential?

  /// The credentials that the presigner must reject, with names that describe their defects.
  public let unusable: [(name: String, credential: Subject.SigningCredential)]

  /// Creates a suite for a presigner with any type of credential.
  ///
  /// - Parameters:
  ///   - presigner: The presigner to check.
  ///   - samples: The requests to presign. The presigner must accept all of them.
  ///   - lifetime: The lifetime of the presigned URLs in whole seconds, which the service must allow.
  ///   - anonymous: The anonymous credential, or `nil` if the scheme has no anonymous credential.
  ///   - unusable: The credentials that the presigner must reject, with names that describe their defects.
  public init(
    _ presigner: Subject, samples: [SigningSample<Subject.SigningCredential>], lifetime: Duration = .seconds(60),
    anonymous: Subject.SigningCredential?, unusable: [(name: String, credential: Subject.SigningCredential)]
  ) {
    self.presigner = presigner
    self.samples = samples
    self.lifetime = lifetime
    self.anonymous = anonymous
    self.unusable = unusable
  }

  /// Checks the presigner against the given rules.
  ///
  /// - Parameter rules: The rules to check.
  /// - Returns: A report with one check for each rule.
  public func report(_ rules: [PresignerRule] = PresignerRule.allCases) -> ConformanceReport {
    ConformanceReport(
      subject: "\(Subject.self)",
      checks: rules.map { rule in ConformanceReport.Check(rule.rawValue) { try check(rule) } })
  }

  private func check(_ rule: PresignerRule) throws -> Int {
    switch rule {
    case .determinism: try samples.forEach { try require(presigned($0) == presigned($0), "the second URL is another") }
    case .appending: try samples.forEach(try: checkAppending)
    case .kept: try samples.forEach(try: checkKept)
    case .expiry: try samples.forEach(try: checkExpiry)
    case .endedCredential: try checkEndedProof()
    case .anonymity: try checkAnonymity()
    case .lifetime: try samples.forEach(try: checkLifetime)
    case .refusal: try checkRefusal()
    case .secrecy: try samples.forEach(try: checkSecrecy)
    }
  }
}

extension PresignerConformance where Subject.SigningCredential == AccessKey {
  /// Creates a suite for a presigner that uses access keys.
  ///
  /// The suite includes the anonymous key and the unusable keys.
  ///
  /// - Parameters:
  ///   - presigner: The presigner to check.
  ///   - samples: The requests to presign. The presigner must accept all of them.
  ///   - lifetime: The lifetime of the presigned URLs in whole seconds, which the service must allow.
  public init(_ presigner: Subject, samples: [SigningSample<AccessKey>], lifetime: Duration = .seconds(60)) {
    self.init(
      presigner, samples: samples, lifetime: lifetime, anonymous: .anonymous,
      unusable: AccessKey.unusable.map { ($0.name, $0.key) })
  }
}
