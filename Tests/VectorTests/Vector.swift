// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A known answer of a vector file, with the request unchanged and the other values parsed.
struct Vector {
  let id: String
  let json: String
  let object: [String: Any]

  /// Loads the vectors of a file.
  static func load(_ name: String, list: String? = nil) throws -> [Vector] {
    let url = Bundle.module.resourceURL?.appendingPathComponent("Vectors/\(name).json")
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

  var mode: String { (object["mode"] ?? object["kind"]) as? String ?? "" }

  /// The expected string of a name.
  subscript(_ name: String) -> String? {
    (object["expected"] as? [String: Any])?[name] as? String
  }

  /// Returns the correct answer where an SDK's answer is wrong.
  func correction(_ name: String) -> String? {
    (object["disagreement"] as? [String: Any])?[name] as? String
  }
}

struct VectorError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A URL split into its decoded components, so that the order of parameters and the choice of escapes do not matter.
struct ParsedURL: Equatable {
  let host: String
  let path: String
  let parameters: [String]

  init(_ url: String) {
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
