// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A component of the strings that a signature covers.
public enum SignedPart: Sendable, Hashable {
  /// The name of the signature scheme.
  case algorithm
  /// The method of the request.
  case method
  /// The path, including the bucket name if the service signs it as part of the path.
  case path
  /// A query parameter, with its decoded name.
  case parameter(String)
  /// A header, with its lowercase name.
  case header(String)
  /// The separate line for the date of a request or for the expiration of a URL.
  case date
  /// The signing time in the string to sign.
  case signingTime
  /// The day in the scope of the signature.
  case scopeDay
  /// The region in the scope of the signature.
  case scopeRegion
  /// The product, or service, in the scope of the signature.
  case scopeProduct
  /// The list of headers that are signed although the scheme does not require it.
  case additionalHeaders
  /// The list of all signed headers.
  case signedHeaders
  /// The hash of the body, or a word such as `UNSIGNED-PAYLOAD` in its place.
  case payloadHash
  /// The window in which the signature is valid.
  case window
  /// The hash of the canonical request, which differs whenever the canonical request differs.
  case requestHash

  /// The human-readable name of the component.
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

  /// Returns the rank of the component among several that differ, starting with the lowest.
  ///
  /// Differences with a higher rank are often consequences of a difference with a lower rank.
  ///
  /// - Parameter dateHeaders: The lowercase names of the headers that contain the signing time.
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
