// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth

/// A provider of temporary keys that an app's own server issues, each for the access that a request needs.
///
/// The provider posts the scope to the server as the list that Tencent Cloud's SDKs post:
/// `[{"action": […], "bucket": …, "region": …, "prefix": …}]`. `RequestedScope` of `StorageAuthServer` reads the list,
/// for every service. The server decides whether the user may have the scope.
///
/// ```swift
/// let keys = ScopedAppServerProvider("https://app.example.com/sts", region: "cn-hangzhou") {
///   [.authorization: await login.header()]
/// }
/// ```
public struct ScopedAppServerProvider: ScopedCredentialProvider {
  private let url: String
  private let region: String
  private let format: AppServerFormat
  private let allowsPlainHTTP: Bool
  private let headers: @Sendable @concurrent () async throws -> HTTPFields

  /// Creates a provider that posts each scope to a URL.
  ///
  /// - Parameters:
  ///   - url: The server's URL with the scheme `https`, or `http` if the server runs on this machine.
  ///   - region: The region of the buckets, which the list of scopes contains.
  ///   - format: The format of the server's response.
  ///   - allowsPlainHTTP: Whether `http` to another machine is allowed. An eavesdropper can then read the keys.
  ///   - headers: A closure that returns the app's login headers, called for each request.
  public init(
    _ url: String, region: String, format: AppServerFormat = .automatic, allowsPlainHTTP: Bool = false,
    headers: @escaping @Sendable @concurrent () async throws -> HTTPFields = { [:] }
  ) {
    self.url = url
    self.region = region
    self.format = format
    self.allowsPlainHTTP = allowsPlainHTTP
    self.headers = headers
  }

  /// Returns a provider that requests keys for one scope.
  ///
  /// - Parameter scope: The scope of the keys; a key or prefix that ends with `*` results in a `CredentialError`.
  public func provider(for scope: CredentialScope) -> any CredentialProvider<AccessKey> {
    let source = ServiceURL(url).map { "app server \($0.visible)" } ?? "app server"
    return AppServerCredentialProvider(
      source: source, format: format, allowsPlainHTTP: allowsPlainHTTP
    ) { [url, region, headers] in
      let body = try Self.document(of: scope, region: region, source: source)
      var fields = try await headers()
      fields[.contentType] = "application/json"
      return AppServerRequest(url, method: .post, headers: fields, body: body)
    }
  }

  private static func document(
    of scope: CredentialScope, region: String, source: String
  ) throws(CredentialError) -> [UInt8] {
    let elements = try scope.rules.map { rule throws(CredentialError) -> JSONValue in
      let actions = AccessAction.allCases.filter(rule.actions.contains).flatMap(Self.names)
      return [
        "action": .array(actions.map { .string($0) }), "bucket": .string(rule.bucket), "region": .string(region),
        "prefix": .string(try pattern(of: rule.objects, source)),
      ]
    }
    return JSONValue.array(elements).serialized
  }

  /// Returns an object key, or a prefix and a trailing `*`, after a slash that is not a part of the key.
  private static func pattern(of objects: ObjectScope, _ source: String) throws(CredentialError) -> String {
    guard !objects.keyOrPrefix.utf8.contains(UInt8(ascii: "*")), objects != .key("") else {
      throw CredentialError(
        .failed, source: source, "The list of scopes cannot express an empty key, or a key with *.",
        remedy: "Use another key, or widen the scope to a prefix without *.")
    }
    return objects.isKey ? "/\(objects.keyOrPrefix)" : "/\(objects.keyOrPrefix)*"
  }

  private static func names(of action: AccessAction) -> [String] {
    switch action {
    case .read: ["name/cos:GetObject", "name/cos:HeadObject"]
    case .write:
      [
        "name/cos:PutObject", "name/cos:InitiateMultipartUpload", "name/cos:ListMultipartUploads", "name/cos:ListParts",
        "name/cos:UploadPart", "name/cos:CompleteMultipartUpload", "name/cos:AbortMultipartUpload",
      ]
    case .delete: ["name/cos:DeleteObject", "name/cos:DeleteMultipleObjects"]
    case .list: ["name/cos:GetBucket"]
    }
  }
}

extension ScopedAppServerProvider: Redacted {
  /// A description that contains the URL without its query.
  public var description: String { "ScopedAppServerProvider(\(ServiceURL(url)?.visible ?? Secret.mask))" }
}
