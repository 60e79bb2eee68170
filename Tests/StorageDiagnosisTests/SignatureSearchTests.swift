// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import S3Auth
import StorageAuth
import StorageDiagnosis
import XCTest

/// The search for what a client signed, with the key, for all services.
final class SignatureSearchTests: XCTestCase {
  /// A service with its signer, its verifier, and a host.
  private struct Scheme {
    let name: String
    let host: String
    let service: SignedService
    let signer: any Presigner<AccessKey>
    let sign: (HTTPRequest, AccessKey) throws -> HTTPRequest
    let verifier: any SignatureVerifier

    func request(_ method: HTTPRequest.Method, _ path: String = "/cat.jpg") -> HTTPRequest {
      HTTPRequest(method: method, scheme: "https", authority: host, path: path)
    }

    func presigned(_ method: HTTPRequest.Method, type: String? = nil, path: String = "/cat.jpg") throws -> HTTPRequest {
      var request = request(method, path)
      if let type { request.headerFields[.contentType] = type }
      return try signer.presign(
        request, with: Provocation.key, validFor: .seconds(600), in: .at(Provocation.now)
      ).request
    }

    /// The report about a sent request, with the strings of the service if it shows them.
    func report(_ sent: HTTPRequest, key: AccessKey? = Provocation.key, shows: Bool = true) throws -> RejectionReport {
      var elements = "<Code>SignatureDoesNotMatch</Code><Message>No.</Message>"
      if shows, let texts = try service.reader.signature(of: sent)?.texts {
        elements += "<StringToSign>\(escaped(texts.stringToSign))</StringToSign>"
        if let canonical = texts.canonicalRequest {
          let name = service.reader.errorCodes.canonicalRequestElement
          elements += "<\(name)>\(escaped(canonical))</\(name)>"
        }
      }
      let search = key.flatMap {
        SignatureSearch(for: sent, signedFor: service, verifier: verifier, key: $0)
      }
      return RejectionReport(
        of: RejectedResponse("<Error>\(elements)</Error>"), to: sent, signedFor: service, search: search)
    }

    private func escaped(_ text: String) -> String {
      text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
  }

  private var schemes: [Scheme] {
    let oss = OSSVerifier(region: "cn-hangzhou", acceptsAmbiguousV1: true, limits: .asServices)
    func signed(_ signer: some Signer<HTTPRequest, AccessKey>) -> (HTTPRequest, AccessKey) throws -> HTTPRequest {
      { try signer.signed($0, with: $1, in: .at(Provocation.now)) }
    }
    let (v4, v1) = (OSSSigner(.v4, region: "cn-hangzhou"), OSSSigner(.v1))
    let s3 = S3Signer(region: "eu-central-1")
    return [
      Scheme(
        name: "OSS V4", host: Provocation.ossHost, service: .oss(), signer: v4, sign: signed(v4), verifier: oss),
      Scheme(
        name: "OSS V1", host: Provocation.ossHost, service: .oss(), signer: v1, sign: signed(v1), verifier: oss),
      Scheme(
        name: "COS", host: Provocation.cosHost, service: .cos(), signer: COSSigner(), sign: signed(COSSigner()),
        verifier: COSVerifier(limits: .asServices)),
      Scheme(
        name: "S3", host: "photos.s3.eu-central-1.amazonaws.com", service: .s3(), signer: s3, sign: signed(s3),
        verifier: S3Verifier(region: "eu-central-1", limits: .asServices)),
    ]
  }

  // matrix: OSS V1: diagnosis
  // matrix: OSS V4: diagnosis
  // matrix: COS V5: diagnosis
  // matrix: S3 V4: diagnosis
  func testUsualMistakesAreFoundWithTheKeyOnly() throws {
    for scheme in schemes {
      var mistakes: [(SignatureDiagnosis.Cause, HTTPRequest)] = []
      func add(_ cause: SignatureDiagnosis.Cause, _ signed: HTTPRequest, _ change: (inout HTTPRequest) -> Void) {
        var sent = signed
        change(&sent)
        mistakes.append((cause, sent))
      }
      add(.methodChanged, try scheme.presigned(.put)) { $0.method = .get }
      add(.methodChanged, try scheme.presigned(.get)) { $0.method = .delete }
      add(.methodChanged, try scheme.presigned(.get)) { $0.method = .put }
      let typed = scheme.name != "COS" && scheme.name != "S3"
      if typed {
        // The signatures of the others cover a Content-Type only if it is signed.
        add(.contentTypeAdded, try scheme.presigned(.put)) { $0.headerFields[.contentType] = "image/x-unusual" }
        add(.methodChanged, try scheme.presigned(.put)) {
          $0.method = .post
          $0.headerFields[.contentType] = "application/x-www-form-urlencoded"
        }
        add(.contentTypeChanged, try scheme.presigned(.put, type: "image/jpeg")) { $0.headerFields[.contentType] = nil }
      }
      if scheme.name != "COS" {
        // COS does not sign parameters that are not listed.
        add(scheme.name == "OSS V1" ? .parameterAdded : .parameterAdded, try scheme.presigned(.get)) {
          $0.path = ($0.path ?? "") + "&acl"
        }
        add(.parameterAdded, try scheme.presigned(.get)) { $0.path = ($0.path ?? "") + "&acl&tagging" }
      }
      add(.encodedTwice, try scheme.presigned(.get, path: "/my%20cat.jpg")) {
        $0.path = $0.path?.replacing("my%20cat", with: "my%2520cat")
      }
      let bucket = scheme.host.prefix { $0 != "." }
      add(.bucketTwice, try scheme.presigned(.get)) { $0.path = "/\(bucket)\($0.path ?? "")" }
      for (cause, sent) in mistakes {
        for shows in [true, false] {
          let report = try scheme.report(sent, shows: shows)
          let about = "\(scheme.name) \(cause) \(sent.method) \(sent.path ?? ""): \(report.diagnosis as Any)"
          XCTAssertEqual(report.diagnosis?.cause, cause, about)
          XCTAssertEqual(report.basis, .proven, about)
          let blind = try scheme.report(sent, key: nil, shows: shows)
          XCTAssertEqual(blind.diagnosis?.cause, .unknown, about)
          XCTAssertNotEqual(blind.basis, .proven)
        }
        let verified = try XCTUnwrap(
          SignatureSearch(for: sent, signedFor: scheme.service, verifier: scheme.verifier, key: Provocation.key))
        let own = RejectionReport(ofMismatch: sent, signedFor: scheme.service, search: verified)
        XCTAssertEqual(own.diagnosis?.cause, cause, "\(scheme.name): without a service's response")
      }
    }
  }

  func testSecretIsNamedOnlyIfItIsProven() throws {
    let wrong = AccessKey(id: Provocation.key.id, secret: "another")
    let mixed = AccessKey(id: Provocation.key.id, secret: Secret(Provocation.key.id.string))
    for scheme in schemes {
      let sent = try scheme.sign(scheme.request(.get), wrong)
      // The default sources have the same wrong secret: what was signed is what was sent.
      XCTAssertEqual(try scheme.report(sent, key: wrong).diagnosis?.cause, .wrongSecret, scheme.name)
      XCTAssertEqual(try scheme.report(sent, key: wrong, shows: false).diagnosis?.cause, .unknown, scheme.name)
      let searched = try scheme.report(sent)
      XCTAssertEqual(searched.diagnosis?.cause, .unknown, scheme.name)
      XCTAssertTrue(searched.diagnosis?.explanation.contains("No likely change") ?? false, "\(searched)")
      XCTAssertEqual(try scheme.report(sent, key: nil).diagnosis?.cause, .unknown, scheme.name)
      let mistaken = try scheme.report(scheme.sign(scheme.request(.get), mixed))
      XCTAssertEqual(mistaken.diagnosis?.cause, .wrongSecret, scheme.name)
      XCTAssertTrue(mistaken.diagnosis?.explanation.contains("instead of the secret") ?? false)
      // The URL of another object is no wrong secret.
      let other = try scheme.presigned(.get, path: "/cat.jpg").with { $0.path = $0.path?.replacing("cat", with: "dog") }
      XCTAssertEqual(try scheme.report(other).diagnosis?.cause, .unknown, scheme.name)
      XCTAssertNil(
        SignatureSearch(
          for: sent, signedFor: scheme.service, verifier: scheme.verifier,
          key: AccessKey(id: "LTAIother", secret: "another")), "another key proves nothing")
    }
  }

  func testBucketThatIsSignedTwiceIsNamed() throws {
    let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:9000", path: "/photos/cat.jpg")
    for version in OSSSignatureVersion.allCases {
      let signer = OSSSigner(version, bucket: "photos", region: "cn-hangzhou", style: .customDomain)
      let sent = try signer.presign(
        request, with: Provocation.key, validFor: .seconds(60), in: .at(Provocation.now)
      ).request
      let verifier = OSSVerifier(region: "cn-hangzhou", acceptsAmbiguousV1: true, limits: .asServices)
      let search = try XCTUnwrap(
        SignatureSearch(for: sent, signedFor: .oss(), verifier: verifier, key: Provocation.key))
      let report = RejectionReport(ofMismatch: sent, signedFor: .oss(), search: search)
      assertDiagnosis(report.diagnosis, .bucketTwice, line: "path")
    }
  }

  func testBucketThatAURLContainsTwiceIsNamed() throws {
    let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:9000", path: "/photos/cat.jpg")
    let signer = S3Signer(region: "eu-central-1")
    var sent = try signer.presign(
      request, with: Provocation.key, validFor: .seconds(60), in: .at(Provocation.now)
    ).request
    sent.path = "/photos\(sent.path ?? "")"
    let verifier = S3Verifier(region: "eu-central-1", limits: .asServices)
    let search = try XCTUnwrap(SignatureSearch(for: sent, signedFor: .s3(), verifier: verifier, key: Provocation.key))
    let report = RejectionReport(ofMismatch: sent, signedFor: .s3(), search: search)
    assertDiagnosis(report.diagnosis, .bucketTwice, line: "path")
  }

  func testStringOfTheSigningProgramProvesTheSecret() throws {
    for scheme in schemes {
      let sent = try scheme.sign(scheme.request(.get), Provocation.key)
      let texts = try XCTUnwrap(scheme.service.reader.signature(of: sent)?.texts)
      let answer = RejectedResponse(
        "<Error><Code>SignatureDoesNotMatch</Code><StringToSign>"
          + texts.stringToSign.replacing("&", with: "&amp;") + "</StringToSign></Error>")
      let blind = SignatureDiagnosis(of: answer, to: sent, signedFor: scheme.service)
      assertDiagnosis(blind, .unknown)
      assertDiagnosis(
        SignatureDiagnosis(of: answer, to: sent, signedFor: scheme.service, stringToSign: texts.stringToSign),
        .wrongSecret)
      XCTAssertEqual(blind?.whenSignedAsSent.cause, .wrongSecret, scheme.name)
    }
  }

  // matrix: OSS V4: redaction
  func testSearchShowsNoSecret() throws {
    let scheme = try XCTUnwrap(schemes.first)
    let sent = try scheme.presigned(.put)
    let search = try XCTUnwrap(
      SignatureSearch(for: sent, signedFor: scheme.service, verifier: scheme.verifier, key: Provocation.key))
    for text in ["\(search)", String(reflecting: search), "\(Mirror(reflecting: search).children.map(\.value))"] {
      XCTAssertFalse(text.contains(Provocation.key.secret.reveal()), text)
    }
  }
}

extension HTTPRequest {
  fileprivate func with(_ change: (inout HTTPRequest) -> Void) -> HTTPRequest {
    var request = self
    change(&request)
    return request
  }
}
