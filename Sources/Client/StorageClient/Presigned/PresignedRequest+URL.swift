// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import HTTPTypes
public import StorageAuth

extension PresignedRequest {
  /// Creates a presigned request from a URL that an app's server has presigned.
  ///
  /// The expiration is read from the parameters of the URL.
  ///
  /// ```swift
  /// let url = try await app.uploadURL(for: "cat.jpg")
  /// try await PresignedRequest(.put, url: url, headers: [.contentType: "image/jpeg"]).upload(.file("cat.jpg"))
  /// ```
  ///
  /// - Parameters:
  ///   - method: The HTTP method that the URL authorizes.
  ///   - url: The presigned URL, including the signature.
  ///   - headers: The signed headers, which must be sent with exactly these values.
  /// - Throws: ``StorageError/Code/invalidOption`` if the URL has no expiration that can be read.
  public init(_ method: HTTPRequest.Method, url: String, headers: HTTPFields = [:]) throws(StorageError) {
    let query = url.drop { $0 != "?" }.dropFirst()
    guard let expiration = PresignedURLRules.expiration(ofQuery: query) else {
      throw StorageError(
        .invalidOption, "The URL has no parameter that states until when its signature is valid.",
        remedy: "Pass the whole URL as it was presigned, or name the expiration.")
    }
    self.init(method: method, url: url, headers: headers, expiration: expiration)
  }

  /// Whether the request makes the service call a server of the app after the upload.
  var requestsCallback: Bool {
    get throws(StorageError) {
      let query = try serviceURL.path.drop { $0 != "?" }.dropFirst()
      return query.split(separator: "&").contains {
        PresignedURLRules.requestsCallback(String($0.prefix { $0 != "=" }))
      }
        || headers.contains { PresignedURLRules.requestsCallback($0.name.canonicalName) }
    }
  }

  /// The parts of the URL, which is checked.
  var serviceURL: ServiceURL {
    get throws(StorageError) {
      guard let parts = ServiceURL(url) else {
        throw StorageError(
          .invalidOption, "The presigned URL is not a URL of a service.",
          remedy: "Pass the whole URL as it was created, with https:// or http:// and without a fragment.")
      }
      return parts
    }
  }
}

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
