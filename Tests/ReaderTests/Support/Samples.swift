// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth

@testable import CredentialSources

/// The keys, the place and the current time of all readers, and requests as text.
enum Samples {
  static let place = SettingLocation(source: "fuzz", name: "file", remedy: "None.")
  static let now = Timestamp(unixSeconds: 1_795_161_600)
  static let secret = "fuzz-secret-of-the-key"
  static let token = "fuzz-token-of-the-key"
  static let secrets = [secret, token]

  static let key = AccessKey(id: "LTAIfuzz", secret: secret)
  static let temporaryKey = AccessKey(id: "STS.fuzz", secret: secret, sessionToken: token)

  /// The key of the growths.
  static let measuredKey = AccessKey(id: "measured", secret: "a secret that signs nothing")

  /// Returns the key of an identifier.
  static func key(for id: AccessKeyID) -> AccessKey? {
    [key, temporaryKey].first { $0.id == id }
  }

  /// Parses the head and the body of a request.
  ///
  /// - Returns: `nil` for input that no HTTP server would accept.
  static func request(_ input: [UInt8]) -> (head: HTTPRequest, body: [UInt8])? {
    let end = input.firstRange(of: Array("\n\n".utf8))
    let head = String(decoding: input[..<(end?.lowerBound ?? input.endIndex)], as: UTF8.self)
    var lines = head.split(separator: "\n", omittingEmptySubsequences: false)
    guard !lines.isEmpty else { return nil }
    let words = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
    guard words.count >= 2, let method = HTTPRequest.Method(String(words[0])) else { return nil }
    var request = HTTPRequest(method: method, scheme: "http", authority: nil, path: String(words[1]))
    for line in lines {
      guard let colon = line.firstIndex(of: ":"), let name = HTTPField.Name(String(line[..<colon])) else { return nil }
      let value = line[line.index(after: colon)...].drop { $0 == " " }
      if name.canonicalName == "host" {
        request.authority = String(value)
      } else {
        request.headerFields.append(HTTPField(name: name, value: String(value)))
      }
    }
    return (request, end.map { Array(input[$0.upperBound...]) } ?? [])
  }

  /// Encodes a request in the format that ``request(_:)`` parses.
  static func text(of request: HTTPRequest, body: String = "") -> String {
    var text = "\(request.method.rawValue) \(request.path ?? "/") HTTP/1.1\nhost: \(request.authority ?? "")"
    for field in request.headerFields { text += "\n\(field.name.rawName): \(field.value)" }
    return body.isEmpty ? text : "\(text)\n\n\(body)"
  }
}
