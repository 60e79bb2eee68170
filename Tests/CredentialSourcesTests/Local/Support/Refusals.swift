// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import XCTest

/// The strings that represent secrets in the inputs of these tests: no error may contain them.
enum Marks {
  static let secret = "M4RKsecret"
  static let token = "M4RKtoken"
  static let word = "M4RK"
}

/// A malformed input with the expected error.
struct Refusal {
  let name: String
  let input: String
  let code: CredentialError.Code
  let says: [String]

  init(_ name: String, _ input: String, _ code: CredentialError.Code, _ says: String...) {
    self.name = name
    self.input = input
    self.code = code
    self.says = says
  }
}

extension XCTestCase {
  /// Requests a key from a provider that must fail, and checks the error: code, source, remedy, and no secret.
  @discardableResult
  func assertRefuses(
    _ provider: some CredentialProvider<AccessKey>, _ code: CredentialError.Code, says: [String] = [],
    _ name: String = "", file: StaticString = #filePath, line: UInt = #line
  ) async -> CredentialError? {
    do {
      let key = try await provider.issue(in: .local).credential
      XCTFail("\(name): a key was issued: \(key)", file: file, line: line)
      return nil
    } catch {
      let text = "\(error)"
      XCTAssertEqual(error.code, code, "\(name): \(text)", file: file, line: line)
      XCTAssertFalse(error.source.isEmpty, name, file: file, line: line)
      XCTAssertTrue(error.remedy.hasSuffix("."), "\(name): no remedy in \(text)", file: file, line: line)
      XCTAssertFalse(text.contains(Marks.word), "\(name): a secret in \(text)", file: file, line: line)
      for word in says {
        XCTAssertTrue(error.message.contains(word), "\(name): no “\(word)” in \(text)", file: file, line: line)
      }
      return error
    }
  }

  /// Requests a key from a provider and compares it.
  func assertKey(
    _ provider: some CredentialProvider<AccessKey>, _ expected: AccessKey, _ name: String = "",
    file: StaticString = #filePath, line: UInt = #line
  ) async {
    do {
      let key = try await provider.issue(in: .local).credential
      XCTAssertTrue(key == expected, "\(name): \(key) is not \(expected)", file: file, line: line)
    } catch {
      XCTFail("\(name): \(error)", file: file, line: line)
    }
  }
}
