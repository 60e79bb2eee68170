// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OBSProvider
import StorageAuth
import StorageAuthTesting
import XCTest

/// OBS signers, verifier and forms against the package's conformance suites.
final class OBSConformanceTests: XCTestCase {
  private static let headers = ["content-type", "content-md5", "x-obs-meta-a", "x-obs-acl", "x-obs-storage-class"]
  private static let subresources = ["acl", "uploadId", "partNumber", "response-content-type", "versionId", "x-obs-a"]

  private static let places: [(url: String, style: AddressingStyle)] = [
    ("https://obs.cn-north-4.myhuaweicloud.com", .virtualHosted), ("http://127.0.0.1:9000", .path),
    ("https://img.example.com", .customDomain),
  ]

  /// Returns samples that OBS can sign: signed headers are ASCII, and no signed value contains another parameter.
  private func samples(_ place: (url: String, style: AddressingStyle), count: Int) throws -> [SigningSample<AccessKey>]
  {
    let maker = SampleMaker(
      endpoint: try ServiceEndpoint(place.url, style: place.style), bucket: "photos",
      parameters: Self.subresources, headers: Self.headers)
    let all = try maker.samples(count: count).map { sample in
      var sample = sample
      // Only the domain itself is signed.
      if place.style == .customDomain, let target = sample.target {
        sample.target = RequestTarget(
          bucket: "img.example.com", key: target.key?.string, parameters: target.parameters)
      }
      return sample
    }
    let signable = all.filter { sample in
      sample.request.headerFields.allSatisfy { $0.value.utf8.allSatisfy { $0 < 0x80 } }
        && sample.target?.parameters.allSatisfy { !($0.value?.string.contains("&") ?? false) } ?? true
    }
    XCTAssertGreaterThan(signable.count, count / 2)
    return signable
  }

  func testSignerConforms() throws {
    for place in Self.places {
      for style in [nil, place.style] {
        try SignerConformance(OBSSigner(style: style), samples: samples(place, count: 80)).report().throwIfFailed()
      }
    }
  }

  func testPresignerConforms() throws {
    for place in Self.places {
      try PresignerConformance(OBSSigner(), samples: samples(place, count: 80)).report().throwIfFailed()
    }
  }

  /// Only the bucket's name of the host is signed.
  func testVerifierConforms() throws {
    let rules = VerifierRule.allCases.filter { $0 != .host }
    for place in Self.places {
      let samples = try samples(place, count: 16)
      try VerifierConformance(
        OBSVerifier(), signer: OBSSigner(), samples: samples, signedHeaders: Set(Self.headers)
      ).report(rules).throwIfFailed()
      try VerifierConformance(OBSVerifier(limits: .asServices), presigner: OBSSigner(), samples: samples)
        .report(rules).throwIfFailed()
    }
  }

  func testSignerInTwoStepsConforms() throws {
    for place in Self.places {
      try TwoStepSignerConformance(OBSSigner(), samples: samples(place, count: 40)) { pending, key in
        key.authenticationCode(for: pending.stringToSign, using: .hmacSHA1).base64
      }.report().throwIfFailed()
    }
  }

  func testSignerOfStringsConforms() throws {
    let endpoint = try ServiceEndpoint("https://obs.cn-north-4.myhuaweicloud.com", style: .virtualHosted)
    let samples = try SampleMaker(
      endpoint: endpoint, bucket: "photos", parameters: ["versionId", "response-content-type"],
      headers: ["content-type", "x-obs-meta-a"]
    ).samples(count: 80).filter { sample in
      sample.request.headerFields.allSatisfy { $0.value.utf8.allSatisfy { $0 < 0x80 } }
        && sample.target?.parameters.allSatisfy { !($0.value?.string.contains("&") ?? false) } ?? true
    }
    // The version can also be a part of the media type.
    let parameters = [
      RequestTarget.Parameter(name: "response-content-type", value: "x"), .init(name: "versionId", value: "5"),
    ]
    let merged = RequestTarget.Parameter(name: "response-content-type", value: "x&versionId=5")
    let ambiguity = (
      request: try endpoint.request(.get, bucket: "photos", key: "a", parameters: parameters),
      targets: [parameters, [merged]].map { RequestTarget(bucket: "photos", key: "a", parameters: $0) }
    )
    try StringToSignSignerConformance(
      OBSStringToSignSigner(), client: OBSSigner(), samples: samples, ambiguities: [ambiguity]
    ).report().throwIfFailed()
  }

  func testFormsConform() throws {
    try FormConformance(
      OBSSigner(), verifier: OBSVerifier(), endpoint: ServiceEndpoint("https://obs.cn-north-4.myhuaweicloud.com"),
      bucket: "photos", metadata: "x-obs-meta-author"
    ).report().throwIfFailed()
  }
}
