// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import SigningJobs
import StorageAuth
import XCTest

/// Tests the values of lines of JSON to sign.
final class SigningLineTests: XCTestCase {
  private func line(
    _ provider: String, _ value: String, mode: String = "header", id: String = "id",
    host: String = "photos-1250000000.example.test"
  ) -> SignedLine {
    let fields: [String] = [
      #""provider":"\#(provider)""#, #""mode":"\#(mode)""#, #""method":"PUT""#, #""bucket":"photos-1250000000""#,
      #""host":"\#(host)""#, #""key":"a""#, #""path":"a""#, #""region":"cn-hangzhou""#,
      #""date":1795161600"#, #""credential":{"id":"\#(id)","secret":"secret"}"#,
      #""headers":[["x-oss-meta-a","\#(value)"],["x-cos-meta-a","\#(value)"],["x-amz-meta-a","\#(value)"]]"#,
    ]
    return SignedLine(
      answering: "{\(fields.joined(separator: ","))}", defaultMode: .header, now: Timestamp(unixSeconds: 1_795_161_600))
  }

  func testBlanksAroundAValueAreNotSignedWhateverFollowsThem() {
    for provider in ["oss", "cos", "s3"] {
      for mark in ["\u{301}x", "\u{FE0F}", "\u{200D}x", "\u{20E3}", "x", "x\u{301}", "é"] {
        let plain = line(provider, mark)
        XCTAssertNil(plain.error, "\(provider) \(mark)")
        XCTAssertNotNil(plain.authorization)
        for value in [" \(mark)", "\\t \(mark)", "\(mark) ", " \(mark)\\t"] {
          let padded = line(provider, value)
          XCTAssertNil(padded.error, "\(provider) \(value)")
          XCTAssertEqual(padded.authorization, plain.authorization, "\(provider) \(value)")
          XCTAssertEqual(padded.stringToSign, plain.stringToSign, "\(provider) \(value)")
        }
      }
      XCTAssertNotNil(line(provider, "a\\nb").error)
    }
  }

  func testLetterCaseOfAHostDoesNotMoveTheBucketIntoThePath() {
    for host in ["photos-1250000000.example.test", "PHOTOS-1250000000.example.test"] {
      let url = line("s3", "x", mode: "presign", host: host).url
      XCTAssertEqual(url?.hasPrefix("https://\(host)/a?"), true, url ?? "no URL")
    }
  }

  func testErrorSaysWhatIsWrongWithALine() {
    for (fields, problem) in [
      (#""date":1.5"#, "a number that must be whole"), (#""date":9223372036854775808"#, "a number that must be whole"),
      (#""date":"x""#, "date has another type"),
      (#""date":"#, "not valid JSON"),
    ] {
      let line = SignedLine(answering: "{\(fields)}", defaultMode: .header, now: Timestamp(unixSeconds: 0))
      XCTAssertEqual(line.error?.contains(problem), true, line.error ?? "no error")
    }
  }

  func testKeyIDsOfCompatibleServersSign() {
    let id = "user@example.test/sub=1"
    let header = line("s3", "x", id: id)
    XCTAssertTrue(header.authorization?.contains("Credential=\(id)/20261120/cn-hangzhou/s3/aws4_request") == true)
    let url = line("s3", "x", mode: "presign", id: id).url
    XCTAssertTrue(
      url?.contains("X-Amz-Credential=user%40example.test%2Fsub%3D1%2F20261120%2Fcn-hangzhou%2Fs3%2Faws4_request")
        == true, url ?? "no URL")
  }
}
