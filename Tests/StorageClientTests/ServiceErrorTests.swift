// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ClientTestSupport
import Foundation
import HTTPTypes
import StorageClient
import XCTest

/// Tests the parsing and classification of services' errors.
final class ServiceErrorTests: XCTestCase {
  private func error(_ reply: HTTPStreamingResponse, of key: String = "k") async throws -> ServiceError {
    do {
      _ = try await ossClient(RecordingTransport { _ throws(TransportError) in reply }).head(key)
    } catch let error as ServiceError {
      return error
    }
    throw XCTSkip("no error was thrown")
  }

  func testErrorContainsTheServicesResponse() async throws {
    let body = """
      <?xml version="1.0" encoding="UTF-8"?>
      <Error><Code>SignatureDoesNotMatch</Code><Message>No match.</Message><RequestId>R1</RequestId><HostId>h</HostId>
      <EC>0002-00000040</EC><StringToSign>PUT
      a

      x-oss-security-token:TOKEN
      /photos/k?security-token=TOKEN&amp;x=1</StringToSign><ServerTime>2026-11-20T08:00:00.000Z</ServerTime></Error>
      """
    let error = try await error(HTTPStreamingResponse(403, body))
    XCTAssertEqual(error.kind, .signatureMismatch)
    XCTAssertEqual(error.code, "SignatureDoesNotMatch")
    XCTAssertEqual(error.message, "No match.")
    XCTAssertEqual(error.requestID, "R1")
    XCTAssertEqual(error.hostID, "h")
    XCTAssertEqual(error.detailCode, "0002-00000040")
    XCTAssertEqual(error.status.code, 403)
    XCTAssertEqual(error.serverTime, Timestamp(iso8601: "2026-11-20T08:00:00Z"))
    XCTAssertEqual(
      error.serverStringToSign,
      "PUT\na\n\nx-oss-security-token:\(Secret.mask)\n/photos/k?security-token=\(Secret.mask)&x=1")
    XCTAssertFalse("\(error)".contains("TOKEN"))
    XCTAssertTrue("\(error)".contains("R1"))
  }

  func testErrorOfAHeadIsReadFromItsHeader() async throws {
    let body = "<Error><Code>NoSuchKey</Code><Message>Gone.</Message><RequestId>R2</RequestId></Error>"
    let encoded = Data(body.utf8).base64EncodedString()
    let error = try await error(HTTPStreamingResponse(404, "", ["x-oss-err": encoded, "x-oss-ec": "0026-1"]))
    XCTAssertEqual(error.kind, .noSuchKey)
    XCTAssertEqual(error.message, "Gone.")
    XCTAssertEqual(error.requestID, "R2")
    XCTAssertEqual(error.detailCode, "0026-1")
  }

  func testErrorWithoutABodyIsClassifiedByItsStatus() async throws {
    let expected: [(Int, ServiceError.Kind)] = [
      (304, .notModified), (403, .accessDenied), (404, .noSuchKey), (409, .conflict), (412, .preconditionFailed),
      (416, .invalidRange), (429, .throttled), (500, .serverFailure), (503, .serverFailure), (400, .invalidRequest),
      (301, .wrongEndpoint), (501, .invalidRequest),
    ]
    for (status, kind) in expected {
      let error = try await error(HTTPStreamingResponse(status, "", ["x-oss-request-id": "R"]))
      XCTAssertEqual(error.kind, kind, "\(status)")
      XCTAssertEqual(error.requestID, "R")
    }
  }

  func testCodesHaveTheSameKindForEveryProvider() async throws {
    let expected: [(String, String, ServiceError.Kind)] = [
      ("SecurityTokenExpired", "", .credentialExpired), ("ExpiredToken", "", .credentialExpired),
      ("InvalidAccessKeyId", "", .unknownAccessKey), ("RequestTimeTooSkewed", "", .clockSkew),
      ("InvalidArgument", "Invalid signing date in Authorization header.", .clockSkew),
      ("AccessDenied", "Request has expired.", .requestExpired),
      ("AccessDenied", "Request has expired", .requestExpired),
      ("AccessDenied", "No right.", .accessDenied), ("FileAlreadyExists", "", .alreadyExists),
      ("SlowDown", "", .throttled), ("Unheard", "", .accessDenied),
    ]
    for (code, message, kind) in expected {
      let body = "<Error><Code>\(code)</Code><Message>\(message)</Message></Error>"
      let error = try await error(HTTPStreamingResponse(403, body))
      XCTAssertEqual(error.kind, kind, code)
      XCTAssertFalse(error.remedy.isEmpty)
    }
  }

  func testHTMLPageOfAProxyIsClassifiedByItsStatus() async throws {
    let error = try await error(HTTPStreamingResponse(502, "<html><body>Bad gateway</body></html>"))
    XCTAssertEqual(error.kind, .serverFailure)
    XCTAssertEqual(error.code, "HTTP502")
  }

  func testOnlyTheBeginningOfAnErrorIsRead() async throws {
    let count = Collected<Int>()
    let endless = ByteStream {
      {
        count.append(1)
        return [UInt8](repeating: 0x20, count: 1 << 10)
      }
    }
    let reply = HTTPStreamingResponse(response: HTTPResponse(status: .conflict), body: endless)
    let error = try await error(reply)
    XCTAssertEqual(error.kind, .conflict)
    XCTAssertEqual(count.values.count, 64)
  }
}
