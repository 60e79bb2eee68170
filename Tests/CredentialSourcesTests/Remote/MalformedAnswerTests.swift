// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests every provider with every kind of malformed response.
final class MalformedAnswerTests: XCTestCase {
  // matrix: Alibaba STS: answers
  // matrix: Tencent STS: answers
  // matrix: Instance metadata: answers
  // matrix: Amazon container: answers
  // matrix: Credentials URI: answers
  func testValidResponseOfEachServiceIsParsed() async throws {
    for service in RemoteService.all {
      let issued = try await service.answering(.json(service.answer, headers: RemoteService.date)).issue(in: .local)
      let expected = AccessKey(
        id: service.id.last == "AccessKeyId" ? "STS.id" : "AKIDid", secret: RemoteService.secretText,
        sessionToken: RemoteService.tokenText,
        start: service.name == "COS app server" ? RemoteService.now : nil, expiration: RemoteService.end)
      XCTAssertEqual(issued.credential, expected, service.name)
      XCTAssertEqual(issued.issuerTime, RemoteService.now, service.name)
    }
  }

  func testByteOrderMarkIsIgnored() async throws {
    for service in RemoteService.all {
      let issued = try await service.answering(.json("\u{feff}" + service.answer)).issue(in: .local)
      XCTAssertEqual(issued.credential.expiration, RemoteService.end, service.name)
    }
  }

  // matrix: App server: bad input
  // matrix: Alibaba STS: bad input
  // matrix: Tencent STS: bad input
  // matrix: Instance metadata: bad input
  // matrix: Amazon container: bad input
  // matrix: Credentials URI: bad input
  func testBodyThatIsNotAJSONObjectIsMalformed() async throws {
    let cut = { (text: String) in String(text.prefix(text.count / 2)) }
    for service in RemoteService.all {
      let bodies = [
        "": "is empty", " \n": "is empty", "<html><body>Sign in</body></html>": "a page or XML",
        "<?xml version=\"1.0\"?><Error/>": "a page or XML", cut(service.answer): "cut off",
        "[1,2]": "not a JSON object",
        "\"text\"": "not a JSON object", "null": "not a JSON object", "12": "not a JSON object",
        "{\"a\":1,}x": "broken JSON", "\u{0}\u{1}": "is empty",
      ]
      for (body, text) in bodies {
        let error = await failure(of: service.answering(.text(body)), "\(service.name): \(body)")
        XCTAssertEqual(error?.code, .malformedResponse, "\(service.name): \(body)")
        XCTAssertEqual(error?.message.contains(text), true, "\(service.name): \(body): \(error?.message ?? "")")
        XCTAssertEqual(error?.isRetryable, true, "the response may have been truncated: \(service.name)")
      }
      let bytes = await failure(of: service.answering(.status(200, [0xff, 0xfe, 0x7b])), service.name)
      XCTAssertEqual(bytes?.code, .malformedResponse, service.name)
    }
  }

  // matrix: App server: bad input
  // matrix: Alibaba STS: bad input
  // matrix: Tencent STS: bad input
  // matrix: Instance metadata: bad input
  // matrix: Amazon container: bad input
  // matrix: Credentials URI: bad input
  func testMissingFieldIsNamed() async throws {
    for service in RemoteService.all {
      for path in [service.id, service.secret, service.token, service.end] {
        // Tencent Cloud returns the expiration twice, and either is sufficient.
        if path.last == "ExpiredTime" { continue }
        let body = try service.answer(with: nil, at: path)
        let error = await failure(of: service.answering(.json(body)), service.name)
        XCTAssertEqual(error?.code, .malformedResponse, service.name)
        XCTAssertEqual(error?.message.contains(path.last ?? "?"), true, "\(service.name): \(error?.message ?? "")")
      }
    }
  }

  func testFieldOfTheWrongTypeIsNamed() async throws {
    let values: [Any] = [17, true, ["a"], ["a": "b"], 1.5, NSNull(), ""]
    for service in RemoteService.all {
      for path in [service.id, service.secret, service.token] {
        for value in values {
          let body = try service.answer(with: value, at: path)
          let error = await failure(of: service.answering(.json(body)), "\(service.name): \(value)")
          XCTAssertEqual(error?.code, .malformedResponse, "\(service.name): \(value)")
          XCTAssertEqual(error?.message.contains(path.last ?? "?"), true, "\(service.name): \(error?.message ?? "")")
        }
      }
    }
  }

  func testInvalidExpirationIsNamed() async throws {
    let values: [Any] = [
      "", "soon", "2027-02-30T00:00:00Z", "15.01.2027", -1, 0, 1e300, 99_999_999_999, true, ["a"],
      "1970-01-01T00:00:00Z",
    ]
    for service in RemoteService.all {
      for value in values {
        let body = try service.answer(with: value, at: service.end)
        let error = await failure(of: service.answering(.json(body)), "\(service.name): \(value)")
        XCTAssertEqual(error?.code, .malformedResponse, "\(service.name): \(value)")
        XCTAssertEqual(error?.message.contains(service.end.last ?? "?"), true, "\(service.name): \(value)")
      }
    }
  }

  func testExpirationIsParsedInEveryFormat() async throws {
    let values: [Any] = [
      1_800_003_600, 1_800_003_600_000, 1_800_003_600.7, "1800003600", "1800003600000", "2027-01-15T09:00:00Z",
      "2027-01-15T09:00:00.000Z", "2027-01-15T17:00:00+08:00", " 2027-01-15T09:00:00Z\n",
    ]
    for service in RemoteService.all {
      for value in values {
        let body = try service.answer(with: value, at: service.end)
        let key = try await service.answering(.json(body)).credential()
        XCTAssertEqual(key.expiration?.wholeSeconds, RemoteService.end, "\(service.name): \(value)")
      }
    }
  }

  func testKeyWithInvalidCharactersIsRejected() async throws {
    for service in RemoteService.all {
      for (path, value) in [
        (service.id, "two words"), (service.secret, "line\nbreak"), (service.token, " leadingBlank"),
      ] {
        let body = try service.answer(with: value, at: path)
        let error = await failure(of: service.answering(.json(body)), "\(service.name): \(value)")
        XCTAssertEqual(error?.code, .malformedResponse, "\(service.name): \(value)")
        XCTAssertEqual(error?.description.contains(value), false, service.name)
      }
    }
  }

  // matrix: Credentials URI: clock
  // matrix: Instance metadata: clock
  // matrix: Amazon container: clock
  func testKeyExpiredByTheIssuersClockIsRejected() async throws {
    for service in RemoteService.all {
      let late = ["Date": "Fri, 15 Jan 2027 09:00:00 GMT"]
      let error = await failure(of: service.answering(.json(service.answer, headers: late)), service.name)
      XCTAssertEqual(error?.code, .malformedResponse, service.name)
      XCTAssertEqual(error?.isRetryable, true, service.name)
      XCTAssertEqual(error?.message.contains("2027-01-15T09:00:00Z"), true, service.name)
    }
  }
}
