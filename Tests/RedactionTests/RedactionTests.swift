// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthTesting
import XCTest

/// Redaction of secrets and tokens in every description of the public types.
final class RedactionTests: XCTestCase {
  // matrix: OSS V1: redaction
  // matrix: OSS V4: redaction
  // matrix: COS V5: redaction
  // matrix: S3 V4: redaction
  // matrix: Aspera Node (basic): redaction
  // matrix: Aspera Node (bearer): redaction
  // matrix: Aspera transfer (password): redaction
  // matrix: Aspera transfer (key): redaction
  // matrix: Aspera transfer (token): redaction
  // matrix: Aspera transfer (issuer): redaction
  // matrix: Credential cache: credential redaction
  // matrix: Credential chain: credential redaction
  // matrix: Environment: credential redaction
  // matrix: Files: credential redaction
  // matrix: Process: credential redaction
  // matrix: App server: credential redaction
  // matrix: Credentials URI: credential redaction
  // matrix: Alibaba STS: credential redaction
  // matrix: Tencent STS: credential redaction
  // matrix: Amazon STS: credential redaction
  // matrix: Amazon container: credential redaction
  // matrix: Instance metadata: credential redaction
  func testDescriptionsOfPublicTypesMaskSecretsAndTokens() throws {
    for (name, value) in try Subjects.all() {
      XCTAssertEqual(typeName(of: value), name)
      for text in DisplayedTexts(of: value).all {
        XCTAssertFalse(text.contains(Subjects.mark), "\(name) shows \(text)")
      }
    }
  }

  func testUnmaskedMarkIsFound() {
    let leaky = RequestTarget.Parameter(name: "prefix", value: Subjects.token)
    for text in DisplayedTexts(of: leaky).all { XCTAssertTrue(text.contains(Subjects.mark), text) }
    XCTAssertTrue(DisplayedTexts(of: [Subjects.secret]).all.allSatisfy { $0.contains(Subjects.mark) })
  }

  func testTypesWithSecretsAreNeitherEncodableNorHashable() throws {
    for (name, value) in try Subjects.all() {
      XCTAssertFalse(value is any Encodable, name)
    }
    XCTAssertFalse(Subjects.key as Any is any Hashable)
    XCTAssertFalse(Subjects.key.secret as Any is any Hashable)
  }

  private func typeName(of value: Any) -> String {
    String(String(reflecting: type(of: value)).prefix { $0 != "<" })
  }
}
