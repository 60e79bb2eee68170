// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the errors for implausible times of credentials.
final class AppServerTimeTests: XCTestCase {
  private let time = ManualClock(now: RemoteService.now)

  private func message(_ body: String) async -> String {
    let transport = ScriptedTransport([.json(body)])
    do throws(CredentialError) {
      _ = try await AppServerCredentialProvider("https://app.example.com/sts").bound(
        to: ProviderContext(transport: transport, time: time)
      ).issue(in: .local)
      return "no error"
    } catch {
      XCTAssertEqual(error.code, .malformedResponse)
      return error.message
    }
  }

  private func oss(_ expiration: String) async -> String {
    await message(
      #"{"StatusCode":200,"AccessKeyId":"STS.id","AccessKeySecret":"\#(RemoteService.secretText)","SecurityToken":"\#(RemoteService.tokenText)","Expiration":\#(expiration)}"#
    )
  }

  private func cos(_ times: String) async -> String {
    await message(
      #"{"credentials":{"tmpSecretId":"AKIDid","tmpSecretKey":"\#(RemoteService.secretText)","sessionToken":"\#(RemoteService.tokenText)"},\#(times)}"#
    )
  }

  /// Covers the sample response of the document on which app servers for OSS are based.
  func testLongExpiredCredentialIsReportedWithItsDate() async {
    for text in [#""2015-11-03T09:52:59Z""#, "1446544379", #""1446544379""#, "1446544379000"] {
      let message = await oss(text)
      XCTAssertTrue(message.hasPrefix("The credential expired at 2015-11-03T09:52:59Z"), message)
    }
    let message = await cos(#""startTime":1800000000,"expiredTime":1446544379"#)
    XCTAssertTrue(message.hasPrefix("The credential expired at 2015-11-03T09:52:59Z"), message)
  }

  func testIntegerThatLooksLikeADurationIsReported() async {
    for text in ["1800", #""1800""#, "7200", "129600", "1"] {
      let message = await cos(#""startTime":1800000000,"expiredTime":\#(text)"#)
      XCTAssertTrue(message.contains("looks like a duration in seconds"), message)
      XCTAssertTrue(message.contains("The field expiredTime is "), message)
    }
    let start = await cos(#""startTime":60,"expiredTime":1800003600"#)
    XCTAssertTrue(start.contains("The field startTime is 60, which looks like a duration"), start)
  }

  func testOtherInvalidTimesAreReported() async {
    for (text, words) in [
      ("0", "is 0, which cannot be the time"), ("-5", "is -5, which cannot be the time"), (#""soon""#, "is not a time"),
      ("true", "is not a time"), (#""9999-12-31T00:00:00Z""#, "is too far ahead"), ("1e300", "is not a time"),
      ("99999999999999999", "is too far ahead"), (#""1970-01-01T00:30:00Z""#, "The credential expired at 1970"),
    ] {
      let message = await oss(text)
      XCTAssertTrue(message.contains(words), "\(text): \(message)")
    }
  }
}
