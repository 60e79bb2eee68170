// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import AsyncHTTPClient
public import NIOHTTP1
public import StorageAuth

extension HTTPRequestHead: SignableRequest {
  /// The name of the method, such as `PUT`.
  public var methodName: String { method.rawValue }
  /// The scheme, which the head does not contain: `nil`.
  public var scheme: String? { nil }
  /// The value of the header `Host`, or `nil` without one.
  public var authority: String? { headers.first(name: "host") }
  /// The path with the query, percent-encoded.
  public var path: String? { uri }
  /// The names and values of the header fields.
  public var fieldPairs: [(name: String, value: String)] { Array(headers) }
}

extension HTTPClientRequest: SignableRequest {
  private var requestURL: RequestURL? { RequestURL(url) }

  /// The name of the method, such as `PUT`.
  public var methodName: String { method.rawValue }
  /// The scheme of the URL, or `nil` if the URL has none.
  public var scheme: String? { requestURL?.scheme }
  /// The host of the URL with its port, or `nil` if the URL has no scheme.
  public var authority: String? { requestURL?.authority }
  /// The path of the URL with its query, percent-encoded, or `nil` if the URL has no scheme.
  public var path: String? { requestURL?.path }
  /// The names and values of the header fields.
  public var fieldPairs: [(name: String, value: String)] { Array(headers) }
}
