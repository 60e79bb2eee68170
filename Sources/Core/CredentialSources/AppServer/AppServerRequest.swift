// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A request to an app server, created for each credential so that it can carry the app's current login.
///
/// The headers and the body may contain a login: `print`, `dump` and `Mirror` do not show them.
///
/// ```swift
/// AppServerRequest("https://app.example.com/sts", headers: [.authorization: "Bearer \(session.token)"])
/// ```
public struct AppServerRequest: Sendable {
  /// The app server's URL with the scheme `https`, or `http` if the server runs on this machine.
  public var url: String

  /// The HTTP method of the request.
  public var method: HTTPRequest.Method

  /// The headers of the request, to which the provider adds `Content-Length`.
  public var headers: HTTPFields

  /// The body of the request.
  public var body: [UInt8]

  /// Creates a request to an app server.
  ///
  /// - Parameters:
  ///   - url: The server's URL with the scheme `https`, or `http` if the server runs on this machine.
  ///   - method: The HTTP method.
  ///   - headers: The headers, including the app's login.
  ///   - body: The body.
  public init(_ url: String, method: HTTPRequest.Method = .get, headers: HTTPFields = [:], body: [UInt8] = []) {
    self.url = url
    self.method = method
    self.headers = headers
    self.body = body
  }
}

extension AppServerRequest: Redacted {
  /// A description that contains the method and the URL without its query.
  public var description: String {
    "AppServerRequest(\(method) \(ServiceURL(url)?.visible ?? Secret.mask))"
  }
}
