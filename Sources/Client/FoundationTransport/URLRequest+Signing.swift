// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

#if canImport(FoundationNetworking)
  public import FoundationNetworking
  internal import Foundation
#else
  public import Foundation
#endif

extension URLRequest: SignableRequest {
  private var requestURL: RequestURL? { url.flatMap { RequestURL($0.absoluteString) } }

  /// The name of the method, such as `PUT`.
  public var methodName: String { httpMethod ?? "GET" }
  /// The scheme of the URL, or `nil` without a URL.
  public var scheme: String? { requestURL?.scheme }
  /// The host of the URL with its port, or `nil` without a URL.
  public var authority: String? { requestURL?.authority }
  /// The path of the URL with its query, percent-encoded, or `nil` without a URL.
  public var path: String? { requestURL?.path }

  /// The names and values of the header fields.
  public var fieldPairs: [(name: String, value: String)] {
    (allHTTPHeaderFields ?? [:]).map { (name: $0.key, value: $0.value) }
  }
}
