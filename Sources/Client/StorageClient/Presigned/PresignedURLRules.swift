// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

/// The meaning that the parameters of a service's presigned URLs have for the holder of a URL.
struct PresignedURLRules: Sendable {
  /// The prefixes of parameters that do not change the bytes that the service sends, in lowercase.
  let prefixes: [String]

  /// Further parameters that do not change the bytes that the service sends, in lowercase.
  let names: Set<String>

  /// The parameters that change the bytes although they have such a prefix, in lowercase.
  var exceptions: Set<String> = []

  /// The parameters and headers that make the service call a server of the app after an upload, in lowercase.
  var callbackNames: Set<String> = []

  /// Returns the expiration that the parameters of a URL state, or `nil` if they are not those of the service.
  let expiration: @Sendable (_ parameters: [String: String]) -> Timestamp?

  /// Returns whether a parameter belongs to a signature, or selects a version or headers of the response.
  ///
  /// Other parameters can make the service convert the object.
  static func leavesBytes(_ parameter: Substring) -> Bool {
    let name = String(parameter.prefix { $0 != "=" }).asciiLowercased
    return name == "versionid" || name.hasBytePrefix("response-")
      || all.contains { rules in
        rules.names.contains(name)
          || rules.prefixes.contains { name.hasBytePrefix($0) } && !rules.exceptions.contains(name)
      }
  }

  /// Returns whether a parameter or a header makes a service call a server of the app after an upload.
  static func asksForCallback(_ name: String) -> Bool {
    all.contains { $0.callbackNames.contains(name.asciiLowercased) }
  }

  /// Returns the expiration that the query of a URL states, or `nil` if no service's parameters state it.
  static func expiration(ofQuery query: Substring) -> Timestamp? {
    var values: [String: String] = [:]
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { values[String(parts[0]).asciiLowercased] = String(parts[1]) }
    }
    for rules in all {
      if let expiration = rules.expiration(values) { return expiration }
    }
    return nil
  }

  /// Returns the time that is a number of seconds after a date in the basic format of ISO 8601.
  static func end(from date: String?, after seconds: String?) -> Timestamp? {
    guard let start = date.flatMap({ Timestamp(iso8601Basic: $0) }),
      let seconds = seconds.flatMap({ Int64(digits: $0) })
    else { return nil }
    return start.advanced(by: .seconds(seconds))
  }
}

extension PresignedURLRules {
  /// The rules of all services whose presigned URLs the package creates.
  static let all = [oss, cos, s3]
}

extension HeaderConventions {
  /// Returns the conventions of the service that a response comes from, by the name of the header with the request ID.
  static func named(in response: HTTPResponse) -> HeaderConventions {
    [oss, cos].first { response.headerFields[$0.requestID] != nil } ?? s3
  }
}
