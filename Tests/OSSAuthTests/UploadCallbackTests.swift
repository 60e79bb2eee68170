// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import OSSAuth
import StorageAuth
import StorageCrypto
import XCTest

/// Tests the headers, parameters and form fields of callbacks, and what is rejected.
final class UploadCallbackTests: XCTestCase {
  private let callback = UploadCallback(
    to: ["https://app.example.com/uploaded?id=1", "http://10.0.0.1:8080/"],
    body: "object=${object}&size=${size}&user=${x:user}", variables: ["x:user": "7", "x:album": "übermut"],
    host: "app.example.com", sendsServerName: true)

  private func text(_ base64: String?) throws -> String {
    String(decoding: try XCTUnwrap([UInt8](base64: try XCTUnwrap(base64))), as: UTF8.self)
  }

  private let document = """
    {"callbackUrl":"https://app.example.com/uploaded?id=1;http://10.0.0.1:8080/","callbackHost":"app.example.com",\
    "callbackBody":"object=${object}&size=${size}&user=${x:user}",\
    "callbackBodyType":"application/x-www-form-urlencoded","callbackSNI":true}
    """
  private let variables = #"{"x:album":"übermut","x:user":"7"}"#

  func testHeadersAreJSONInBase64() throws {
    let fields = try callback.headerFields
    XCTAssertEqual(fields.count, 2)
    XCTAssertEqual(try text(fields[XCTUnwrap(HTTPField.Name("x-oss-callback"))]), document)
    XCTAssertEqual(try text(fields[XCTUnwrap(HTTPField.Name("x-oss-callback-var"))]), variables)
    let plain = UploadCallback(to: ["http://a/"], body: #"{"k":${object}}"#, format: .json)
    XCTAssertEqual(
      try text(plain.headerFields.first?.value),
      #"{"callbackUrl":"http://a/","callbackBody":"{\"k\":${object}}","callbackBodyType":"application/json"}"#)
    XCTAssertEqual(try plain.headerFields.count, 1)
  }

  func testParametersAndFormFieldsContainTheSame() throws {
    let parameters = try callback.parameters
    XCTAssertEqual(parameters.map(\.name.string), ["callback", "callback-var"])
    XCTAssertEqual(try text(parameters[0].value?.string), document)
    XCTAssertEqual(try text(parameters[1].value?.string), variables)
    let condition = try callback.formCondition
    XCTAssertEqual(condition.field, "callback")
    guard case .equals(let value) = condition.rule else { return XCTFail("\(condition)") }
    XCTAssertEqual(try text(value), document)
    XCTAssertEqual(callback.formFields, [FormField("x:album", "übermut"), FormField("x:user", "7")])
  }

  // matrix: OSS callback: bad input
  func testInvalidCallbacksAreRejected() throws {
    func rejects(_ word: String, _ change: (inout UploadCallback) -> Void, line: UInt = #line) {
      var callback = callback
      change(&callback)
      let makers: [(UploadCallback) throws -> Void] = [
        { _ = try $0.headerFields }, { _ = try $0.parameters }, { _ = try $0.formCondition },
      ]
      for make in makers {
        XCTAssertThrowsError(try make(callback), word, line: line) { error in
          guard let error = error as? SigningError else { return XCTFail("\(error)", line: line) }
          XCTAssertEqual(error.code, .invalidConfiguration, line: line)
          XCTAssertTrue(error.message.contains(word), error.message, line: line)
        }
      }
    }
    rejects("There are 0 URLs") { $0.urls = [] }
    rejects("There are 6 URLs") { $0.urls = Array(repeating: "http://a/", count: 6) }
    for url in [
      "app.example.com/x", "ftp://a/", "http://", "http://u@a/", "http://a/;http://b/", "http://a/ü", "http://[::1]/",
      "http://a/#b", "http://a:0/", "http://a:99999/", "http://a/ b", "http://a\\b/",
    ] {
      rejects("not a URL") { $0.urls = [url] }
    }
    rejects("not a host") { $0.host = "a/b" }
    for name in ["user", "x:", "x:User", "X:user", "x:a b"] {
      rejects("not the name") { $0.variables[name] = "1" }
    }
    rejects("is empty") { $0.body = "" }
    rejects("is empty") { $0.body = "${object" }
    rejects("has no value") { $0.body = "${x:other}" }
    rejects("has no value") { $0.body = "${key}" }
    rejects("longer than") { $0.body = String(repeating: "a", count: 5_000) }
    rejects("longer than") { $0.variables["x:long"] = String(repeating: "a", count: 5_000) }
  }
}
