// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import CredentialSources
import StorageAuth
import StorageAuthTesting
import XCTest

/// Tests the formats of credentials and errors of app servers.
final class AppServerFormatTests: XCTestCase {
  private let time = ManualClock(now: RemoteService.now)
  private let fields = """
    "TmpSecretId":"AKIDid","TmpSecretKey":"\(RemoteService.secretText)","Token":"\(RemoteService.tokenText)"
    """

  private func provider(
    _ body: String, _ format: AppServerFormat = .automatic, status: Int = 200
  ) -> any CredentialProvider<AccessKey> {
    let transport = ScriptedTransport([.json(body, status: status)])
    return AppServerCredentialProvider("https://app.example.com/sts", format: format).bound(
      to: ProviderContext(transport: transport, time: time))
  }

  // matrix: App server: answers
  func testCOSKeysAreReadInEveryFormat() async throws {
    let times = #""StartTime":1800000000,"ExpiredTime":1800003600"#
    let lower = """
      "credentials":{"tmpSecretId":"AKIDid","tmpSecretKey":"\(RemoteService.secretText)",\
      "sessionToken":"\(RemoteService.tokenText)"},"startTime":1800000000,"expiredTime":1800003600
      """
    let bodies = [
      #"{"code":0,"message":"","codeDesc":"Success","data":{\#(lower)}}"#, #"{"data":{\#(lower)}}"#, "{\(lower)}",
      #"{"Response":{"Credentials":{\#(fields)},\#(times),"RequestId":"R"}}"#,
      #"{"Credentials":{\#(fields)},\#(times)}"#, "{\(fields),\(times)}",
      #"{"code":200,"data":{\#(lower)}}"#, #"{"Credentials":{\#(fields),\#(times)}}"#,
      #"{"data":{"credentials":{\#(fields)}},\#(times)}"#,
    ]
    for body in bodies {
      for format in [AppServerFormat.automatic, .cos] {
        let issued = try await provider(body, format).issue(in: .local)
        XCTAssertEqual(issued.credential.id, "AKIDid", body)
        XCTAssertEqual(issued.credential.secret, Secret(RemoteService.secretText), body)
        XCTAssertEqual(issued.credential.sessionToken, Secret(RemoteService.tokenText), body)
        XCTAssertEqual(issued.credential.start, RemoteService.now, body)
        XCTAssertEqual(issued.credential.expiration, RemoteService.end, body)
        XCTAssertEqual(issued.issuerTime, RemoteService.now, body)
      }
    }
  }

  func testS3KeysAreReadInTheFormatOfContainerCredentials() async throws {
    let body = """
      {"AccessKeyId":"ASIAid","SecretAccessKey":"\(RemoteService.secretText)","Token":"\(RemoteService.tokenText)",\
      "Expiration":"\(RemoteService.end.iso8601)"}
      """
    for format in [AppServerFormat.automatic, .s3] {
      let key = try await provider(body, format).credential()
      XCTAssertEqual(key.id, "ASIAid")
      XCTAssertEqual(key.secret, Secret(RemoteService.secretText))
      XCTAssertEqual(key.sessionToken, Secret(RemoteService.tokenText))
      XCTAssertEqual(key.expiration, RemoteService.end)
    }
    for (body, words) in [
      (#"{"SecretAccessKey":"x","AccessKeyId":"a","Token":"t"}"#, "Expiration"),
      (#"{"code":"AccessDenied","message":"Not for you."}"#, "Not for you."),
    ] {
      do {
        _ = try await provider(body, .s3).credential()
        XCTFail("no error was thrown for \(body)")
      } catch {
        XCTAssertTrue("\(error)".contains(words), "\(error)")
      }
    }
  }

  func testEveryTokenNameIsRead() async throws {
    for name in ["sessionToken", "SessionToken", "Token", "token", "XCosSecurityToken", "SecurityToken"] {
      let body = """
        {"credentials":{"TmpSecretId":"a","TmpSecretKey":"b","\(name)":"the token"},"expiredTime":1800003600}
        """
      let key = try await provider(body).credential()
      XCTAssertEqual(key.sessionToken, Secret("the token"), name)
      XCTAssertNil(key.start)
    }
  }

  func testTimesInMillisecondsAreRead() async throws {
    let body = #"{"Credentials":{\#(fields)},"StartTime":1800000000000,"ExpiredTime":1800003600000}"#
    let key = try await provider(body).credential()
    XCTAssertEqual(key.start, RemoteService.now)
    XCTAssertEqual(key.expiration, RemoteService.end)
  }

  // matrix: App server: clock
  func testDateHeaderTakesPrecedenceOverTheStart() async throws {
    let body = #"{"Credentials":{\#(fields)},"StartTime":1799990000,"ExpiredTime":1800003600}"#
    let transport = ScriptedTransport([.json(body, headers: RemoteService.date)])
    let provider = AppServerCredentialProvider("https://app.example.com/").bound(
      to: ProviderContext(transport: transport, time: time))
    let issued = try await provider.issue(in: .local)
    XCTAssertEqual(issued.issuerTime, RemoteService.now)
    XCTAssertEqual(issued.credential.start, Timestamp(unixSeconds: 1_799_990_000))
  }

  func testKeyThatExpiresBeforeItStartsIsMalformed() async throws {
    let body = #"{"Credentials":{\#(fields)},"StartTime":1800003600,"ExpiredTime":1800003600}"#
    let error = await failure(of: provider(body))
    XCTAssertEqual(error?.code, .malformedResponse)
    XCTAssertEqual(error?.message.contains("no later"), true, error?.message ?? "")
  }

  // matrix: App server: answers
  func testOSSStatusCodesAreReadAsIntegerAndAsString() async throws {
    for status in ["200", #""200""#] {
      let body = try RemoteService.ossAppServer.answer(with: nil, at: ["StatusCode"])
      let key = try await provider(#"{"StatusCode":\#(status),"# + body.dropFirst()).credential()
      XCTAssertEqual(key.id, "STS.id")
    }
    let without = try await provider(RemoteService.ossAppServer.answer(with: nil, at: ["StatusCode"])).credential()
    XCTAssertEqual(without.id, "STS.id")
  }

  // matrix: App server: refusal
  func testServerErrorIsReportedWithItsCode() async throws {
    let bodies = [
      #"{"StatusCode":"500","ErrorCode":"NoPermission","ErrorMessage":"You are not allowed."}"#,
      #"{"StatusCode":500,"ErrorCode":"NoPermission","ErrorMessage":"You are not allowed."}"#,
      #"{"ErrorCode":"NoPermission","ErrorMessage":"You are not allowed."}"#,
      #"{"Response":{"Error":{"Code":"NoPermission","Message":"You are not allowed."},"RequestId":"R"}}"#,
      #"{"code":4100,"message":"You are not allowed.","codeDesc":"NoPermission"}"#,
      #"{"code":-2300,"message":"You are not allowed. NoPermission"}"#,
      #"{"error":{"code":"NoPermission","message":"You are not allowed."}}"#,
      #"{"code":"NoPermission","msg":"You are not allowed."}"#,
    ]
    for body in bodies {
      for status in [200, 400, 403] {
        let error = await failure(of: provider(body, status: status), body)
        XCTAssertEqual(error?.code, .rejected, body)
        XCTAssertEqual(error?.isRetryable, false, body)
        XCTAssertEqual(error?.message.contains("You are not allowed."), true, body)
        XCTAssertEqual(error?.message.contains("NoPermission"), true, body)
      }
      let down = await failure(of: provider(body, status: 503), body)
      XCTAssertEqual(down?.code, .failed, body)
      XCTAssertEqual(down?.isRetryable, true, body)
    }
  }

  func testUnauthorizedStatusRequiresALogin() async throws {
    for status in [401, 403] {
      let error = await failure(of: provider("", status: status))
      XCTAssertEqual(error?.code, .rejected)
      XCTAssertEqual(error?.remedy.hasPrefix("Log in again"), true)
    }
  }

  // matrix: App server: bad input
  func testUnknownObjectIsMalformed() async throws {
    for body in ["{}", #"{"data":null}"#, #"{"data":{"credentials":7}}"#, #"{"Response":{}}"#, #"{"code":0}"#] {
      let error = await failure(of: provider(body), body)
      XCTAssertEqual(error?.code, .malformedResponse, body)
      XCTAssertEqual(error?.message.contains("credentials"), true, body)
    }
  }

  func testLongMessageIsTruncatedAndReducedToOneLine() async throws {
    let long = "line one\\nline two\\t\\u0007" + String(repeating: "x", count: 5_000)
    let error = await failure(of: provider(#"{"code":1,"message":"\#(long)"}"#))
    XCTAssertEqual(error?.message.contains("line one line two x"), true, error?.message ?? "")
    XCTAssertEqual(error?.message.contains("\n"), false)
    XCTAssertEqual(error?.message.hasSuffix("…"), true)
  }

  func testCustomFormatIsRead() async throws {
    let format = AppServerFormat.custom { body in
      let parts = String(decoding: body, as: UTF8.self).split(separator: ";").map(String.init)
      return AccessKey(
        id: parts[0], secret: parts[1], sessionToken: parts[2], expiration: Timestamp(iso8601: parts[3]))
    }
    let body = "STS.id;\(RemoteService.secretText);\(RemoteService.tokenText);2027-01-15T09:00:00Z"
    let key = try await provider(body, format).credential()
    XCTAssertEqual(key.expiration, RemoteService.end)
    let empty = await failure(of: provider(";;;", .custom { _ in AccessKey(id: "", secret: "") }))
    XCTAssertEqual(empty?.code, .malformedResponse)

    struct Unreadable: Error { let text: String }
    let throwing = AppServerFormat.custom { throw Unreadable(text: String(decoding: $0, as: UTF8.self)) }
    let error = await failure(of: provider(body, throwing))
    XCTAssertEqual(error?.code, .malformedResponse)
    XCTAssertEqual(error?.message.contains("Unreadable"), true)
  }
}
