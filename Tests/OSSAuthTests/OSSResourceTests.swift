import HTTPTypes
import OSSAuth
import SigningProperties
import StorageAuth
import XCTest

/// What the signed resource is about, where the path can be read in more than one way.
final class OSSResourceTests: XCTestCase {
  private let key = AccessKey(id: "AKIDexample", secret: "secret")
  private let date = Timestamp(unixSeconds: 1_700_000_000)

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testASignatureForAnObjectDoesNotOpenAnotherOneWhoseSlashIsEscaped() throws {
    for version in OSSSignatureVersion.allCases {
      let scheme = try OSSSchemes.scheme(version, .path)
      for (signed, sent) in [("/photos//", "/photos%2F"), ("/photos/cat/", "/photos%2Fcat")] {
        var request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: signed)
        try OSSSigner(version, region: "cn-hangzhou").sign(&request, with: key, in: .at(date))
        request.path = sent
        XCTAssertThrowsError(try scheme.verify(request, against: key, at: date), "\(version) \(sent)")
      }
    }
  }

  // matrix: OSS V1: verify
  // matrix: OSS V4: verify
  func testAnEscapedSlashIsReadAsASlashBySignerAndHandler() throws {
    for version in OSSSignatureVersion.allCases {
      let scheme = try OSSSchemes.scheme(version, .path)
      var request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1", path: "/photos/a%2Fb")
      try scheme.signer.sign(&request, with: key, in: .at(date))
      XCTAssertEqual(try scheme.verify(request, against: key, at: date).target.key, "a/b")
      request.path = "/photos/a%252Fb"
      XCTAssertThrowsError(try scheme.verify(request, against: key, at: date))
    }
  }
}
