// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import StorageAuthTesting
import StorageCrypto

/// The OSS schemes in both versions, as the property tests require them.
enum OSSSchemes {
  static let headers = [
    "content-type", "content-md5", "x-oss-meta-a", "x-oss-meta-author-with-a-long-name", "x-oss-acl",
  ]
  static let subresources = ["acl", "uploadId", "partNumber", "response-content-type", "versionId", "x-oss-process"]
  static let oddNames = ["prefix", "x y", "a/b", "a-b", "a.b", "é", "Upper", "p+q", "p%q", "~"]

  static func scheme(
    _ version: OSSSignatureVersion, _ style: AddressingStyle = .virtualHosted, additionalHeaders: Set<String> = []
  ) throws -> SigningScheme<OSSSigner, OSSVerifier> {
    let url =
      switch style {
      case .virtualHosted: "https://oss-cn-hangzhou.aliyuncs.com"
      case .path: "http://127.0.0.1:9000"
      case .customDomain: "https://img.example.com"
      }
    return SigningScheme(
      "OSS \(version) \(style)",
      signer: OSSSigner(
        version, bucket: "photos", region: "cn-hangzhou", style: style, additionalHeaders: additionalHeaders,
        allowsAmbiguousV1: true),
      verifier: OSSVerifier(
        style: style, bucket: style == .customDomain ? "photos" : nil, acceptsAmbiguousV1: true,
        limits: .asServices),
      maker: SampleMaker(
        endpoint: try ServiceEndpoint(url, style: style), bucket: "photos",
        parameters: version == .v1 ? subresources : subresources + oddNames,
        headers: Set(headers + additionalHeaders.map { $0.lowercased() }).subtracting(["host"]).sorted()),
      remoteSignature: version == .v1 ? v1Signature : v4Signature)
  }

  /// Returns the schemes of every version in every addressing style.
  static func all() throws -> [SigningScheme<OSSSigner, OSSVerifier>] {
    try OSSSignatureVersion.allCases.flatMap { version in
      try AddressingStyle.allCases.map { try scheme(version, $0) }
    }
  }

  private static func v1Signature(_ pending: PendingSignature, _ secret: String) -> String {
    let code = ReferenceHash.sha1.authenticationCode(key: Array(secret.utf8), message: pending.stringToSign)
    return Data(code).base64EncodedString()
  }

  private static func v4Signature(_ pending: PendingSignature, _ secret: String) -> String {
    let lines = pending.stringToSign.split(separator: "\n")
    let scope = lines.count > 2 ? lines[2].split(separator: "/").map(String.init) : []
    let key = scope.reduce(Array("aliyun_v4\(secret)".utf8)) { key, part in
      ReferenceHash.sha256.authenticationCode(key: key, message: part)
    }
    return ReferenceHash.sha256.authenticationCode(key: key, message: pending.stringToSign).hexText
  }
}
