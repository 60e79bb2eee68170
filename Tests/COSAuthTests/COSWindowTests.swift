// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import SigningProperties
import StorageAuth
import XCTest

/// The validity period of a COS signature, by key, clock and caller.
final class COSWindowTests: XCTestCase {
  private let request = COSFixture.request()
  private let now: Int64 = COSFixture.date.unixSeconds

  private func key(start: Int64? = nil, end: Int64? = nil) -> AccessKey {
    AccessKey(
      id: "AKIDtemporary", secret: "s", sessionToken: "t", start: start.map { Timestamp(unixSeconds: now + $0) },
      expiration: end.map { Timestamp(unixSeconds: now + $0) })
  }

  private func window(_ key: AccessKey, clock: Int64 = 0, signer: COSSigner = COSSigner()) throws -> [Int64] {
    let signed = try signer.signed(request, with: key, in: .at(Timestamp(unixSeconds: now + clock)))
    let claim = try XCTUnwrap(COSVerifier().claim(in: signed))
    return [claim.window.start.unixSeconds - now, claim.window.end.unixSeconds - now]
  }

  private func urlWindow(_ key: AccessKey, clock: Int64 = 0, for seconds: Int64) throws -> [Int64] {
    let url = try COSSigner().presign(
      request, with: key, validFor: .seconds(seconds), in: .at(Timestamp(unixSeconds: now + clock)))
    let claim = try XCTUnwrap(COSVerifier().claim(in: url.request()))
    XCTAssertEqual(url.expiration, claim.window.end)
    return [claim.window.start.unixSeconds - now, claim.window.end.unixSeconds - now]
  }

  // matrix: COS V5: skew
  func testKeysValidityPeriodIsTheSignTimeRegardlessOfTheClock() throws {
    for clock: Int64 in [0, -86_400, 86_400, -now, 10_000_000] {
      XCTAssertEqual(try window(key(start: -60, end: 1_740), clock: clock), [-60, 1_740])
    }
  }

  // matrix: COS V5: expiry
  func testKeyWithoutAStartIsSignedFromNowUntilItsExpirationOrForAnHour() throws {
    XCTAssertEqual(try window(COSFixture.key), [0, 3_600])
    XCTAssertEqual(try window(key(end: 600)), [0, 600])
    XCTAssertEqual(try window(key(end: 7_200)), [0, 3_600])
    XCTAssertEqual(try window(COSFixture.key, signer: COSSigner(headerLifetime: .seconds(300))), [0, 300])
    XCTAssertEqual(try window(key(start: -100)), [-100, 3_600])
    XCTAssertEqual(try window(key(start: 100)), [100, 3_700], "a slow clock starts the period at the key's start")
  }

  // matrix: COS V5: expiry
  func testExplicitWindowIsSignedAsItIs() throws {
    let keyTime = COSKeyTime(
      from: COSFixture.date.advanced(by: .seconds(-30)), until: COSFixture.date.advanced(by: .seconds(90)))
    let signer = COSSigner(keyTime: keyTime)
    for key in [COSFixture.key, key(start: -60, end: 1_740), key(end: 90)] {
      XCTAssertEqual(try window(key, clock: 50, signer: signer), [-30, 90])
    }
    let error = try signingError { () throws(SigningError) in
      try signer.signed(request, with: key(end: 89), in: .at(COSFixture.date))
    }
    XCTAssertEqual(error.code, .credentialEndsFirst)
  }

  // matrix: COS V5: expiry
  func testExpiredKeyIsRejectedWithBothTimes() throws {
    for key in [key(end: 0), key(end: -1), key(start: 10, end: 10), key(start: 10, end: 5)] {
      let error = try COSSchemes.scheme().throwLeavesTheRequest(request, with: key, at: COSFixture.date)
      XCTAssertEqual(error.code, .credentialEndsFirst)
      XCTAssertTrue(error.message.contains("2026-11-20T08:00:"), error.message)
    }
  }

  // matrix: COS V5: presign, expiry
  func testURLExpiresAsRequestedOrIsRejected() throws {
    XCTAssertEqual(try urlWindow(COSFixture.key, for: 60), [0, 60])
    XCTAssertEqual(try urlWindow(COSFixture.key, for: 10 * 86_400), [0, 864_000])
    XCTAssertEqual(try urlWindow(key(start: -100, end: 1_000), for: 60), [-100, 60])
    XCTAssertEqual(
      try urlWindow(key(start: 100, end: 1_000), for: 60), [100, 160],
      "a slow clock starts the period at the key's start")
    XCTAssertEqual(try urlWindow(key(end: 60), for: 60), [0, 60])
    let error = try signingError { () throws(SigningError) in
      try COSSigner().presign(request, with: key(end: 59), validFor: .seconds(60), in: .at(COSFixture.date))
    }
    XCTAssertEqual(error.code, .credentialEndsFirst)
    XCTAssertTrue(error.message.contains("08:00:59Z") && error.message.contains("08:01:00Z"), error.message)
    for lifetime: Duration in [.zero, .seconds(-1), .milliseconds(999), .seconds(Int64.max), .seconds(Int64.min)] {
      let error = try signingError { () throws(SigningError) in
        try COSSigner().presign(request, with: COSFixture.key, validFor: lifetime, in: .at(COSFixture.date))
      }
      XCTAssertEqual(error.code, .lifetimeOutOfRange, "\(lifetime)")
    }
  }

  // matrix: COS V5: header, presign, expiry
  func testExplicitSignTimeIsSigned() throws {
    let window = COSKeyTime(
      from: COSFixture.date.advanced(by: .milliseconds(999)), until: Timestamp(unixSeconds: now + 5))
    XCTAssertEqual(window.start, COSFixture.date)
    var signed = request
    try COSSigner().sign(&signed, with: COSFixture.key, during: window)
    XCTAssertEqual(try COSVerifier().claim(in: signed)?.window, window)
    let url = try COSSigner().presign(request, with: COSFixture.key, during: window)
    XCTAssertEqual(url.expiration, window.end)
    for (start, end) in [(now + 5, now + 5), (now + 5, now), (-10, now)] {
      let wrong = COSKeyTime(from: Timestamp(unixSeconds: start), until: Timestamp(unixSeconds: end))
      var copy = request
      XCTAssertThrowsError(try COSSigner().sign(&copy, with: COSFixture.key, during: wrong))
      XCTAssertEqual(copy, request)
      let error = try signingError { () throws(SigningError) in
        try COSSigner().presign(request, with: COSFixture.key, during: wrong)
      }
      XCTAssertEqual(error.code, .lifetimeOutOfRange, "The key does not expire.")
    }
    XCTAssertThrowsError(try COSSigner().presign(request, with: key(end: 4), during: window))
    var copy = request
    XCTAssertThrowsError(try COSSigner().sign(&copy, with: key(end: 4), during: window))
    XCTAssertNoThrow(try COSSigner().sign(&copy, with: key(end: 5), during: window))
  }

  // matrix: COS V5: bad input
  func testHeaderLifetimeBelowASecondIsRejected() throws {
    for lifetime: Duration in [.zero, .seconds(-5), .milliseconds(10)] {
      let error = try signingError { () throws(SigningError) in
        try COSSigner(headerLifetime: lifetime).signed(request, with: COSFixture.key, in: .at(COSFixture.date))
      }
      XCTAssertEqual(error.code, .invalidConfiguration)
    }
    XCTAssertNoThrow(
      try COSSigner(headerLifetime: .seconds(Int64.max)).signed(request, with: COSFixture.key, in: .at(COSFixture.date))
    )
    XCTAssertNoThrow(
      try COSFixture.signed(with: AccessKey(id: "a", secret: "b", expiration: Timestamp(unixSeconds: .max))))
  }
}
