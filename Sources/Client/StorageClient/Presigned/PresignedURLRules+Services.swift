// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

extension PresignedURLRules {
  private static let known = ServiceDescription.known.compactMap(\.presignedURLs)

  /// Returns whether a parameter belongs to a signature, or selects a version or headers of the response.
  ///
  /// Other parameters can make the service convert the object.
  static func leavesObjectUnprocessed(_ parameter: Substring) -> Bool {
    let name = String(parameter.prefix { $0 != "=" }).asciiLowercased
    return name == "versionid" || name.hasBytePrefix("response-") || known.contains { $0.leavesObjectUnprocessed(name) }
  }

  /// Returns whether a parameter or a header makes a service call a server of the app after an upload.
  static func requestsCallback(_ name: String) -> Bool {
    known.contains { $0.callbackNames.contains(name.asciiLowercased) }
  }

  /// Returns the expiration that the query of a URL states, or `nil` if no service's parameters state it.
  static func expiration(ofQuery query: Substring) -> Timestamp? {
    var values: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { values[String(parts[0]).asciiLowercased] = String(parts[1]) }
    }
    return known.lazy.compactMap { $0.expiration(values) }.first
  }
}
