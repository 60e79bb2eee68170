// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth
import XCTest

/// The defaults for types outside of the package: of errors with a code, and of signers.
final class DetailedErrorTests: XCTestCase {
  private struct ShelfError: DetailedError {
    enum Code: String, CustomStringConvertible {
      case full, locked

      var description: String { rawValue }
    }

    let details: ErrorDetails<Code>

    init(_ details: ErrorDetails<Code>) { self.details = details }
  }

  func testErrorHasTheCodeTheMessageAndTheRemedyEachOnOneLine() {
    let error = ShelfError(.full, "No room\nfor \u{1B}[2J it.", remedy: "Remove\ra book.")
    XCTAssertEqual(error.code, .full)
    for text in [error.message, error.remedy, "\(error)"] {
      XCTAssertTrue(text.utf8.allSatisfy { (0x20..<0x7f).contains($0) }, text)
    }
    XCTAssertTrue("\(error)".hasPrefix("full: No room"), "\(error)")
    XCTAssertTrue("\(error)".hasSuffix(error.remedy), "\(error)")
    XCTAssertNotEqual(error, ShelfError(.locked, error.message, remedy: error.remedy))
  }

  private struct Shelver: Signer, Presigner {
    func sign(_ request: inout HTTPRequest, with key: AccessKey, in context: SigningContext) {}

    func presign(
      _ request: HTTPRequest, with key: AccessKey, validFor duration: Duration, in context: SigningContext
    ) -> PresignedRequest {
      PresignedRequest(method: request.method, url: "", headers: [:], expiration: context.date)
    }
  }

  func testSignerRequiresTwoSecondsAndAPresignerTheLifetimeOfTheURL() {
    let date = Timestamp(unixSeconds: 1_700_000_000)
    XCTAssertEqual(Shelver().requiredValidity(from: date), date.advanced(by: .seconds(2)))
    XCTAssertEqual(
      Shelver().requiredValidity(from: date, validFor: .seconds(60)), date.advanced(by: .seconds(60)))
  }
}
