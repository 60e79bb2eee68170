// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import COSAuth
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageAuthTesting
import StorageDiagnosis
import XCTest

/// Diagnosis of random changes to the string that a service shows.
final class RandomChangeTests: XCTestCase {
  private struct Text {
    let request: HTTPRequest
    let service: SignedService
    /// The string that the service shows, by lines, with the name of each.
    let lines: [(name: String, value: String)]
    let joined: ([String]) -> RejectedResponse
  }

  private func v1(_ generator: inout SeededGenerator) throws -> Text {
    let word = word(&generator)
    let request = try Provocation.request(
      .put, "/\(word)?acl", ["Content-Type": "text/\(word)", "Content-MD5": "\(word)==", "x-oss-meta-a": word]
    ).oss(.v1)
    return Text(
      request: request, service: .oss(),
      lines: [
        ("method", "PUT"), ("Content-MD5", "\(word)=="), ("Content-Type", "text/\(word)"),
        ("Date", Provocation.now.httpDate), ("header x-oss-meta-a", "x-oss-meta-a:\(word)"),
        ("path", "/photos/\(word)?acl"),
      ],
      joined: {
        RejectedResponse(
          "<Error><Code>SignatureDoesNotMatch</Code><StringToSign>\($0.joined(separator: "\n"))</StringToSign></Error>")
      })
  }

  private func v4(_ generator: inout SeededGenerator) throws -> Text {
    let word = word(&generator)
    let request = try Provocation.request(
      .put, "/\(word)?prefix=\(word)", ["Content-Type": "text/\(word)", "Range": word]
    ).oss(additional: ["host", "range"])
    return Text(
      request: request, service: .oss(),
      lines: [
        ("method", "PUT"), ("path", "/photos/\(word)"), ("query parameter prefix", "prefix=\(word)"),
        ("Content-Type", "content-type:text/\(word)"), ("Host", "host:\(Provocation.ossHost)"),
        ("header range", "range:\(word)"), ("header x-oss-content-sha256", "x-oss-content-sha256:UNSIGNED-PAYLOAD"),
        ("header x-oss-date", "x-oss-date:\(Provocation.now.iso8601Basic)"), ("", ""),
        ("additional headers", "host;range"), ("payload hash", "UNSIGNED-PAYLOAD"),
      ],
      joined: {
        RejectedResponse(
          "<Error><Code>SignatureDoesNotMatch</Code><CanonicalRequest>\($0.joined(separator: "\n"))</CanonicalRequest></Error>"
        )
      })
  }

  private func cos(_ generator: inout SeededGenerator) throws -> Text {
    let word = word(&generator)
    let request = try Provocation.request(
      .put, "/\(word)?prefix=\(word)", host: Provocation.cosHost, ["Content-Type": word, "x-cos-meta-a": word]
    ).cos()
    return Text(
      request: request, service: .cos(),
      lines: [
        ("method", "put"), ("path", "/\(word)"), ("query parameter prefix", "prefix=\(word)"),
        ("Content-Type", "content-type=\(word)"), ("Host", "host=\(Provocation.cosHost)"),
        ("header x-cos-meta-a", "x-cos-meta-a=\(word)"),
      ],
      joined: { lines in
        let text = lines[..<3].joined(separator: "\n") + "\n" + lines[3...].joined(separator: "&amp;") + "\n"
        return RejectedResponse("<Error><Code>SignatureDoesNotMatch</Code><FormatString>\(text)</FormatString></Error>")
      })
  }

  private func word(_ generator: inout SeededGenerator) -> String {
    let letters = Array("abcdefghijklmnop0123456789")
    return String(
      (0...Int.random(in: 3...9, using: &generator)).map { _ in letters[Int.random(in: 0..<26, using: &generator)] })
  }

  func testChangedLineIsNamed() throws {
    var generator = SeededGenerator(seed: 5)
    for makeText in [v1, v4, cos] {
      for _ in 0..<300 {
        let text = try makeText(&generator)
        assertDiagnosis(
          SignatureDiagnosis(of: text.joined(text.lines.map(\.value)), to: text.request, signedFor: text.service),
          .unknown)
        var lines = text.lines.map(\.value)
        let changed = lines.indices.filter { !lines[$0].isEmpty }.randomElement(using: &generator) ?? 0
        // After the name of a header or a parameter, so that it stays the same line; a path keeps its bucket.
        let letters = ["x", "-", "_", "Z", "7"]
        let letter = letters.randomElement(using: &generator) ?? "x"
        if text.lines[changed].name == "path" {
          lines[changed] = lines[changed].replacing("?", with: letter + "?", maxReplacements: 1)
          if lines[changed] == text.lines[changed].value { lines[changed] += letter }
        } else {
          lines[changed] += letter
        }
        let diagnosis = SignatureDiagnosis(of: text.joined(lines), to: text.request, signedFor: text.service)
        XCTAssertEqual(diagnosis?.line, text.lines[changed].name, "\(lines)")
        XCTAssertNotEqual(diagnosis?.sent, diagnosis?.received)
        XCTAssertEqual(diagnosis?.otherLines, [], "\(lines)")
      }
    }
  }

  func testDamagedResponsesDoNotTrap() throws {
    var generator = SeededGenerator(seed: 7)
    var found = 0
    for round in 0..<3000 {
      let text = try [v1, v4, cos][round % 3](&generator)
      var bytes = Array("HTTP/1.1 403 Forbidden\r\nDate: \(Provocation.now.httpDate)\r\n\r\n".utf8)
      bytes +=
        """
        <Error><Code>SignatureDoesNotMatch</Code><StringToSign>\(text.lines.map(\.value).joined(separator: "\n"))\
        </StringToSign><ServerTime>\(Provocation.now)</ServerTime></Error>
        """.replacing("&", with: "&amp;").utf8
      for _ in 0...Int.random(in: 0...8, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: index)
        default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
        }
      }
      let answer = RejectedResponse(String(decoding: bytes, as: UTF8.self))
      var request = text.request
      if round % 5 == 0 {
        request["Authorization"] = String(decoding: bytes.suffix(40).filter { $0 > 32 && $0 < 127 }, as: UTF8.self)
      }
      if SignatureDiagnosis(of: answer, to: request, signedFor: text.service) != nil { found += 1 }
    }
    XCTAssertGreaterThan(found, 1000)
  }
}
