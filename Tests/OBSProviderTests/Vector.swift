// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import StorageAuth

/// A known answer for OBS: a request and its expected signature.
struct Vector {
  let id: String
  let mode: String
  private let object: [String: Any]

  static func load() throws -> [Vector] {
    let url = Bundle.module.resourceURL?.appendingPathComponent("Vectors/obs.json")
    guard let url, let objects = try JSONSerialization.jsonObject(with: Data(contentsOf: url)) as? [[String: Any]]
    else {
      throw CocoaError(.fileReadCorruptFile)
    }
    return objects.map { Vector(id: $0["id"] as? String ?? "", mode: $0["mode"] as? String ?? "", object: $0) }
  }

  /// The expected string of a name.
  subscript(_ name: String) -> String? { (object["expected"] as? [String: Any])?[name] as? String }

  func text(_ name: String) -> String? { object[name] as? String }

  var key: AccessKey {
    let parts = object["credential"] as? [String: String] ?? [:]
    return AccessKey(id: parts["id"] ?? "", secret: parts["secret"] ?? "", sessionToken: parts["token"])
  }

  var date: Timestamp { Timestamp(unixSeconds: (object["date"] as? Int).map(Int64.init) ?? 0) }

  var lifetime: Duration { .seconds(object["expires"] as? Int ?? 0) }

  /// Returns the explicit addressing style, or `nil` to derive the style from the host, with the same result.
  func style(isExplicit: Bool) -> AddressingStyle? {
    guard isExplicit else { return nil }
    return switch text("addressing") {
    case "path": .path
    case "cname": .customDomain
    default: .virtualHosted
    }
  }

  var query: [RequestTarget.Parameter] {
    (object["query"] as? [[Any]] ?? []).map {
      RequestTarget.Parameter(name: $0[0] as? String ?? "", value: $0[1] as? String)
    }
  }

  var request: HTTPRequest {
    var path = text("addressing") == "path" ? "/\(text("bucket") ?? "")" : ""
    path += "/" + ByteExactString(text("key") ?? "").percentEncoded(keepingSlashes: true)
    for (index, parameter) in query.enumerated() {
      path += (index == 0 ? "?" : "&") + parameter.name.percentEncoded()
      if let value = parameter.value { path += "=" + value.percentEncoded() }
    }
    var fields = HTTPFields()
    for pair in object["headers"] as? [[String]] ?? [] {
      guard let name = HTTPField.Name(pair[0]) else { continue }
      fields.append(HTTPField(name: name, value: pair[1]))
    }
    return HTTPRequest(
      method: HTTPRequest.Method(text("method") ?? "") ?? .options, scheme: text("scheme"), authority: text("host"),
      path: path, headerFields: fields)
  }
}
