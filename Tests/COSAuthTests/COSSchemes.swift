// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import SigningProperties
import StorageAuth
import StorageAuthTesting

/// The COS schemes with both URL forms, both verification modes and every addressing style.
enum COSSchemes {
  static let headers = [
    "content-type", "cache-control", "content-md5", "content-length", "range", "x-cos-meta-a", "x-cos-acl",
    "x-ci-process-with-a-long-name", "pic-operations",
  ]
  static let parameters = [
    "prefix", "acl", "uploadId", "x y", "a/b", "a-b", "a.b", "é", "Upper", "p+q", "p%q", "~",
    "imageMogr2/thumbnail/!50p",
    "response-content-type", "x-cos-a",
  ]

  static func scheme(
    _ style: AddressingStyle = .virtualHosted, form: COSSigner.URLForm = .parameters,
    mode: COSVerifier.Mode = .compatible, policy: COSHeaderPolicy = .standard
  ) throws -> SigningScheme<COSSigner, COSVerifier> {
    let url =
      switch style {
      case .virtualHosted: "https://cos.ap-guangzhou.myqcloud.com"
      case .path: "http://127.0.0.1:9000"
      case .customDomain: "https://img.example.com"
      }
    return SigningScheme(
      "COS \(style) \(form) \(mode)", signer: COSSigner(policy: policy, urlForm: form),
      verifier: COSVerifier(
        mode: mode, style: style, bucket: style == .customDomain ? "img-1250000000" : nil,
        limits: .asServices),
      maker: SampleMaker(
        endpoint: try ServiceEndpoint(url, style: style),
        bucket: style == .customDomain ? "img-1250000000" : "photos-1250000000", parameters: parameters,
        headers: headers), remoteSignature: signature)
  }

  /// Returns the schemes of every style, form and mode.
  static func all() throws -> [SigningScheme<COSSigner, COSVerifier>] {
    try AddressingStyle.allCases.flatMap { style in
      try [COSSigner.URLForm.parameters, .sign].flatMap { form in
        try [COSVerifier.Mode.compatible, .strict].map { try scheme(style, form: form, mode: $0) }
      }
    }
  }

  private static func signature(_ pending: PendingSignature, _ secret: String) -> String {
    let lines = pending.stringToSign.split(separator: "\n").map(String.init)
    let window = lines.count > 1 ? lines[1] : ""
    let key = ReferenceHash.sha1.authenticationCode(key: Array(secret.utf8), message: window).hexText
    return ReferenceHash.sha1.authenticationCode(key: Array(key.utf8), message: pending.stringToSign).hexText
  }
}
