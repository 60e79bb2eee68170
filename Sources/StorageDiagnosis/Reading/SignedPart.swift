// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A part of the strings that a signature covers.
public enum SignedPart: Sendable, Hashable {
  /// The name of the scheme.
  case algorithm
  /// The method.
  case method
  /// The path, with the bucket if the service signs it so.
  case path
  /// A query parameter.
  case parameter(String)
  /// A header; its name is in lower case.
  case header(String)
  /// The separate line for the date of a request or the expiration of a URL.
  case date
  /// The time of signing in the string to sign.
  case signingTime
  /// The day of the scope.
  case scopeDay
  /// The region of the scope.
  case scopeRegion
  /// The product, or service, of the scope.
  case scopeProduct
  /// The list of headers that are signed in addition to those of a rule.
  case additionalHeaders
  /// The list of all signed headers.
  case signedHeaders
  /// The hash of the body, or the word in its place.
  case payloadHash
  /// The window in which the signature is valid.
  case window
  /// The hash of the canonical request, which differs whenever that does.
  case requestHash

  /// The name of the line for people.
  public var name: String {
    switch self {
    case .algorithm: "algorithm"
    case .method: "method"
    case .path: "path"
    case .parameter(let name): "query parameter \(name)"
    case .header("content-type"): "Content-Type"
    case .header("content-md5"): "Content-MD5"
    case .header("host"): "Host"
    case .header(let name): "header \(name)"
    case .date: "Date"
    case .signingTime: "time of signing"
    case .scopeDay: "day of the scope"
    case .scopeRegion: "region of the scope"
    case .scopeProduct: "product of the scope"
    case .additionalHeaders: "additional headers"
    case .signedHeaders: "signed headers"
    case .payloadHash: "payload hash"
    case .window: "sign time"
    case .requestHash: "hash of the canonical request"
    }
  }

  /// Returns the rank of a line among several that differ, the lowest first: the other differences are often
  /// consequences.
  ///
  /// - Parameter dateHeaders: The headers that contain the time of signing.
  func rank(_ dateHeaders: Set<String>) -> Int {
    switch self {
    case .algorithm: 0
    case .method: 1
    case .path: 2
    case .header("host"): 3
    case .scopeRegion, .scopeProduct: 4
    case .scopeDay, .window: 5
    case .date: 6
    case .header(let name) where name != "date" && dateHeaders.contains(name): 6
    case .signingTime: 7
    case .parameter: 8
    case .header("content-type"): 9
    case .header("content-md5"): 10
    case .header: 11
    case .additionalHeaders, .signedHeaders: 12
    case .payloadHash: 13
    case .requestHash: 14
    }
  }
}
