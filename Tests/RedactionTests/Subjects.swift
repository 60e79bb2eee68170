// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import S3Auth
import StorageAuth
import XCTest

/// An instance of every public type of the signing libraries, built with a recognizable secret and token.
///
/// `check-redaction-coverage.py` compares the names with the symbol graphs: a public type that is missing here fails.
enum Subjects {
  /// The mark that must not appear in any encoding; it consists of characters that no encoding changes.
  static let mark = "M4RK"
  static let secret = "\(mark)/secret+key="
  static let token = "\(mark)/token+of the=session"

  static let date = Timestamp(unixSeconds: 1_795_161_600)
  static let key = AccessKey(
    id: "AKIDexample", secret: secret, sessionToken: token, start: date.advanced(by: .seconds(-60)),
    expiration: date.advanced(by: .seconds(3_600)))
  static let cosRequest = HTTPRequest(
    method: .put, scheme: "https", authority: "photos-1250000000.cos.ap-guangzhou.myqcloud.com", path: "/a?acl")
  static let ossRequest = HTTPRequest(
    method: .put, scheme: "https", authority: "photos.oss-cn-hangzhou.aliyuncs.com", path: "/a?acl")
  static let s3Request = HTTPRequest(
    method: .put, scheme: "https", authority: "photos.s3.eu-central-1.amazonaws.com", path: "/a?acl")
  static let oss = OSSSigner(.v4, bucket: "photos", region: "cn-hangzhou")

  /// Types whose instances hold no secret, with the reason.
  static let holdsNothing: [String: String] = [
    "StorageAuth.AddressingStyle": "an enumeration without payload",
    "StorageAuth.AuthenticationCode.Algorithm": "an enumeration without payload",
    "StorageAuth.CredentialError.Code": "the name of an error code",
    "StorageAuth.ErrorDetails": "the texts of an error; the errors are tested",
    "StorageAuth.SigningError.Code": "the name of an error code",
    "StorageAuth.VerificationError.Code": "the name of an error code",
    "StorageAuth.VerificationError.ScopePart": "an enumeration without payload",
    "StorageAuth.VerifiedRequest.Placement": "an enumeration without payload",
    "StorageAuth.VerificationLimits": "numbers and durations", "OSSAuth.OSSLimits": "numbers and durations",
    "StorageAuth.AccessKeyID": "the public identifier of a key",
    "StorageAuth.ByteExactString": "a bucket, a key or a parameter as sent; parameters that hold tokens mask them",
    "StorageAuth.DisplayText": "printed text, built from descriptions without secrets",
    "StorageAuth.Timestamp": "two numbers",
    "StorageAuth.ServiceDescription": "terms of a service",
    "StorageAuth.ServiceErrorCodes": "terms of a service",
    "StorageAuth.ServiceErrorCodes.Refusal": "terms of a service",
    "StorageAuth.ServiceErrorCodes.Subject": "terms of a service",
    "StorageAuth.SignableNames": "terms of a service",
    "StorageAuth.SecretName": "only names",
    "StorageAuth.SignatureScheme": "terms of a service",
    "StorageAuth.SigningRefusal.Code": "the name of an error code",
    "StorageAuth.SigningKeyScope": "texts that are sent with the signature",
    "StorageAuth.MessageDigest": "a hash value of what is sent",
    "StorageAuth.ServiceEndpoint": "a scheme, a host and a port; a password in the URL is rejected",
    "StorageAuth.ServiceHosts": "labels and suffixes of hosts",
    "OSSAuth.OSSSignatureVersion": "an enumeration without payload",
    "OSSAuth.UploadCallback": "URLs, a template and values that the app's server receives",
    "OSSAuth.UploadCallback.BodyFormat": "an enumeration without payload",
    "OSSAuth.OSSNetwork": "an enumeration without payload",
    "COSAuth.COSSigner.URLForm": "an enumeration without payload",
    "COSAuth.COSVerifier.Mode": "an enumeration without payload",
    "COSAuth.COSHeaderPolicy": "names of headers",
    "COSAuth.COSKeyTime": "two timestamps",
    "COSAuth.CAMDocumentOptions": "a number",
    "S3Auth.S3Limits": "numbers",
    "S3Auth.S3Network": "bits",
    "S3Auth.S3Payload": "a keyword, or the hash of a body",
    "S3Auth.S3Checksum.Algorithm": "an enumeration without payload",
    "StorageAuth.AccessRequest": "a requested access: names, numbers, an address and a timestamp",
    "StorageAuth.AccessAction": "an enumeration without payload",
    "StorageAuth.AccessPolicy": "permissions: names, numbers, addresses and timestamps",
    "StorageAuth.AccessRefusal": "an access, and the missing permission",
    "StorageAuth.AccessRefusal.Reason": "an enumeration without payload",
    "StorageAuth.AccessRule": "permissions: names, numbers, addresses and timestamps",
    "StorageAuth.AddressRange": "a network",
    "StorageAuth.NetworkAddress": "an address",
    "StorageAuth.ObjectScope": "the prefix of a key, or a key",
    "StorageAuth.PolicyError": "names of buckets and keys, and their problems",
    "StorageAuth.PolicyError.Code": "the name of an error code",
  ]

  /// Returns the instances, each under the name of its type.
  static func all() throws -> [(name: String, value: Any)] {
    let bare: [(String, Any)] = [
      ("StorageAuth.AccessKey", key), ("StorageAuth.Identity", key.identity), ("StorageAuth.Secret", key.secret),
      ("StorageAuth.StaticCredentialProvider", StaticCredentialProvider(key)),
      ("StorageAuth.AuthenticationCode", key.authenticationCode(for: token, using: .hmacSHA1)),
      ("StorageAuth.SignedTexts", SignedTexts(stringToSign: token, canonicalRequest: secret)),
      ("StorageAuth.SigningContext", SigningContext.at(date)),
      ("StorageAuth.RequestTarget.Parameter", RequestTarget.Parameter(name: "x-cos-security-token", value: token)),
      ("OSSAuth.OSSSigner", oss), ("OSSAuth.OSSVerifier", OSSVerifier()),
      ("COSAuth.COSSigner", COSSigner()), ("COSAuth.COSVerifier", COSVerifier()),
      (
        "StorageAuth.CredentialError",
        CredentialError(.rejected, source: "a vault", "It refused.", remedy: "Ask again.")
      ),
    ]
    return try bare + s3() + cached() + sources() + aspera() + forms() + errors() + remote()
      + requests(of: oss, ossRequest, OSSVerifier(), claim: "OSSAuth.OSSClaim")
      + requests(
        of: OSSSigner(.v1, bucket: "photos"), ossRequest, OSSVerifier(), claim: "OSSAuth.OSSClaim")
      + requests(of: COSSigner(), cosRequest, COSVerifier(), claim: "COSAuth.COSClaim")
      + requests(
        of: S3Signer(region: "eu-central-1"), s3Request, S3Verifier(region: "eu-central-1"), claim: "S3Auth.S3Claim")
  }

  /// Returns results of signing and verifying a request: pending signatures, URLs, claims, proofs and mismatches.
  private static func requests<Verifier: SignatureVerifier>(
    of signer: some HeaderSigner<AccessKey> & TwoStepSigner<AccessKey> & Presigner<AccessKey>, _ request: HTTPRequest,
    _ verifier: Verifier, claim name: String
  ) throws -> [(String, Any)] {
    let url = try signer.presign(request, with: key, validFor: .seconds(60), in: .at(date))
    var fromURL = request
    fromURL.path = String(url.url.dropFirst("https://\(request.authority ?? "")".count))
    var inBucket = request
    inBucket.path = "/?acl"
    let wrong = AccessKey(id: key.id, secret: secret + "x", sessionToken: token)
    return try [try signer.signed(request, with: key, in: .at(date)), fromURL].flatMap { signed -> [(String, Any)] in
      let claim = try XCTUnwrap(verifier.claim(in: signed))
      let proof = try verifier.verify(claim, against: key, at: date)
      let mismatch = try refusal { try verifier.verify(claim, against: wrong, at: date) }
      return [
        (name, claim), ("StorageAuth.VerifiedRequest", proof), ("StorageAuth.RequestTarget", proof.target),
        ("StorageAuth.VerificationError", mismatch),
        ("StorageAuth.VerificationError.Comparison", try XCTUnwrap((mismatch as? VerificationError)?.comparison)),
      ]
    } + [
      ("StorageAuth.PresignedRequest", url),
      (
        "StorageAuth.ObjectPresigner",
        try signer.presigner(for: inBucket, with: key, validFor: .seconds(60), in: .at(date))
      ),
      ("StorageAuth.PreparedSigner", try signer.preparedSigner(with: key, in: .at(date))),
      ("StorageAuth.PendingSignature", try signer.prepare(request, as: key.identity, in: .at(date))),
      (
        "StorageAuth.PendingSignature",
        try signer.prepare(presigning: request, as: key.identity, validFor: .seconds(60), in: .at(date))
      ),
    ]
  }

  /// Returns errors about the secret and the token themselves.
  private static func errors() throws -> [(String, Any)] {
    let keys = [
      AccessKey(id: "id", secret: secret + "\n"), AccessKey(id: "id", secret: secret, sessionToken: token + "\n"),
      AccessKey(id: "id", secret: secret, sessionToken: token, expiration: date),
    ]
    var errors: [(String, Any)] = []
    for key in keys {
      errors.append(
        (
          "StorageAuth.SigningError",
          try refusal {
            try COSSigner().presign(cosRequest, with: key, validFor: .seconds(60), in: .at(date))
          }
        ))
    }
    errors.append(
      ("StorageAuth.SigningError", try refusal { try ServiceEndpoint("https://user:\(secret)@example.com") }))
    let signed = try oss.signed(ossRequest, with: key, in: .at(date))
    let claim = try XCTUnwrap(OSSVerifier().claim(in: signed))
    for other in [
      AccessKey(id: key.id, secret: secret), AccessKey(id: key.id, secret: secret, sessionToken: token + "x"),
    ] {
      errors.append(
        (
          "StorageAuth.VerificationError",
          try refusal {
            try OSSVerifier().verify(claim, against: other, at: date)
          }
        ))
    }
    return errors
  }

  private static func refusal<Value>(_ act: () throws -> Value) throws -> any Error {
    do {
      _ = try act()
    } catch {
      return error
    }
    throw CredentialError(.failed, source: "the test", "No error was thrown.", remedy: "Check the test.")
  }
}
