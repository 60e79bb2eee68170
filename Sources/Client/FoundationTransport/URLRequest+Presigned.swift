// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

#if canImport(FoundationNetworking)
  internal import Foundation
  public import FoundationNetworking
#else
  public import Foundation
#endif

extension URLRequest {
  /// Creates a request with a presigned URL, for a task of a session that the app owns.
  ///
  /// ```swift
  /// let presigned = try await client.presign(.put, "cat.jpg", contentType: "image/jpeg", validFor: .seconds(6 * 3_600))
  /// let task = session.uploadTask(with: try URLRequest(presigned), fromFile: file)
  /// ```
  ///
  /// - Parameters:
  ///   - presigned: The method, the URL and the headers that the URL's user must send.
  ///   - byteCount: The number of bytes in the body, or `nil` if the task determines it.
  /// - Throws: `TransportError` with the code `invalidRequest` if the URL is invalid, or if `URLSession` would change the
  ///   request, so that the signature would not match it.
  public init(_ presigned: PresignedRequest, bodyByteCount byteCount: Int64? = nil) throws(TransportError) {
    let rest = presigned.url.firstRange(of: "://").map { presigned.url[$0.upperBound...] } ?? ""
    let path = rest.drop { $0 != "/" && $0 != "?" }
    try self.init(
      signed: HTTPRequest(
        method: presigned.method, scheme: String(presigned.url.prefix { $0 != ":" }),
        authority: String(rest.prefix { $0 != "/" && $0 != "?" }),
        path: path.hasBytePrefix("/") ? String(path) : "/\(path)",
        headerFields: presigned.headers),
      bodyByteCount: byteCount)
  }

  /// Creates a request from a signed request, for a task of a session that the app owns.
  ///
  /// A signature in headers is valid for some minutes only. For a background session, whose tasks the system may start
  /// hours later, presign a URL.
  ///
  /// - Parameters:
  ///   - request: The signed request.
  ///   - byteCount: The number of bytes in the body, or `nil` if the task determines it. A signed `Content-Length` must be
  ///     equal to it.
  /// - Throws: `TransportError` with the code `invalidRequest` if `URLSession` would change the request, so that the
  ///   signature would not match it.
  public init(signed request: HTTPRequest, bodyByteCount byteCount: Int64? = nil) throws(TransportError) {
    let count = byteCount ?? request.headerFields[.contentLength].flatMap { Int64(digits: $0) } ?? 0
    self = try ExactRequest(request, body: .stream(ByteStream([]), length: count)).urlRequest
  }
}
