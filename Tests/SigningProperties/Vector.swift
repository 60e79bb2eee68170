// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import CredentialSources
package import Foundation
import HTTPTypes
package import StorageAuth

/// A known answer of a vector file, with the request unchanged and the other values parsed.
package struct Vector {
  package let id: String
  package let json: String
  package let object: [String: Any]

  /// Loads the vectors of a file in the resources of a target.
  package static func load(_ name: String, list: String? = nil, from bundle: Bundle) throws -> [Vector] {
    let url = bundle.resourceURL?.appendingPathComponent("Vectors/\(name).json")
    guard let url else { throw VectorError("no resources") }
    let root = try JSONSerialization.jsonObject(with: Data(contentsOf: url))
    let objects = list.flatMap { (root as? [String: Any])?[$0] } ?? root
    guard let objects = objects as? [[String: Any]] else { throw VectorError("\(name) is not a list") }
    return try objects.map { object in
      guard let id = object["id"] as? String else { throw VectorError("a vector without id") }
      let json = String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self)
      return Vector(id: id, json: json, object: object)
    }
  }

  package var mode: String { (object["mode"] ?? object["kind"]) as? String ?? "" }

  /// The expected string of a name.
  package subscript(_ name: String) -> String? {
    (object["expected"] as? [String: Any])?[name] as? String
  }

  /// Returns the credential of the request.
  package func key() throws -> AccessKey {
    guard let fields = object["credential"] as? [String: Any], let key = fields["id"] as? String,
      let secret = fields["secret"] as? String
    else { throw VectorError("\(id) has no credential") }
    return AccessKey(id: key, secret: secret, sessionToken: fields["token"] as? String)
  }

  /// Returns the call of a token service, which has headers and optionally a body.
  package func call() throws -> ServiceCall {
    let query = (object["query"] as? [[String]] ?? []).map { FormPair($0[0], $0[1]) }
    var request = HTTPRequest(
      method: .post, scheme: "https", authority: nil, path: query.isEmpty ? "/" : "/?" + FormPair.written(query))
    for header in object["headers"] as? [[String]] ?? [] {
      if header[0].lowercased() == "host" {
        request.authority = header[1]
      } else if let name = HTTPField.Name(header[0]) {
        request.headerFields.append(HTTPField(name: name, value: header[1]))
      } else {
        throw VectorError("\(id) has a header without a valid name")
      }
    }
    return ServiceCall(request, body: Array((object["body"] as? String ?? "").utf8))
  }

  /// Returns the correct answer where an SDK's answer is wrong.
  package func correction(_ name: String) -> String? {
    (object["disagreement"] as? [String: Any])?[name] as? String
  }
}

struct VectorError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A URL split into its decoded components, so that the order of parameters and the choice of escapes do not matter.
package struct ParsedURL: Equatable {
  package let host: String
  package let path: String
  package let parameters: [String]

  package init(_ url: String) {
    let rest = url.split(separator: "://", maxSplits: 1).last ?? ""
    let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    let slash = parts[0].firstIndex(of: "/") ?? parts[0].endIndex
    host = String(parts[0][..<slash])
    path = String(parts[0][slash...]).removingPercentEncoding ?? ""
    parameters = (parts.count > 1 ? parts[1] : "").split(separator: "&").map { item in
      let pair = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
        $0.replacingOccurrences(of: "+", with: " ").removingPercentEncoding ?? "<broken>"
      }
      return "\(pair[0])=\(pair.count > 1 ? pair[1] : "")"
    }.sorted()
  }
}
