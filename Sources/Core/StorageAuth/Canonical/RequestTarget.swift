// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The target of a request: the bucket, the object key and the query parameters, percent-decoded once.
public struct RequestTarget: Sendable, Hashable {
  /// The bucket name, or `nil` for a request to the service rather than to a bucket.
  public let bucket: WireText?

  /// The decoded object key, or `nil` for a request to a bucket or to the service.
  public let key: WireText?

  /// The decoded query parameters in the order in which they appear in the URL; a parameter without `=` has no value.
  public let parameters: [Parameter]

  /// Whether parameter names are compared case-insensitively, because the signature contains them in lowercase.
  package private(set) var ignoresCase = false

  /// A decoded query parameter.
  public struct Parameter: Sendable, Hashable {
    /// The decoded parameter name.
    public let name: WireText

    /// The decoded parameter value, or `nil` if the parameter has no `=`.
    public let value: WireText?

    /// Creates a query parameter from a decoded name and value.
    ///
    /// - Parameters:
    ///   - name: The name, without percent-encoding.
    ///   - value: The value, without percent-encoding, or `nil` for a parameter without `=`.
    public init(name: String, value: String?) {
      self.name = WireText(name)
      self.value = value.map { WireText($0) }
    }
  }

  /// Creates a request target from a bucket, an object key and query parameters.
  ///
  /// - Parameters:
  ///   - bucket: The bucket name, or `nil` for a request to the service.
  ///   - key: The decoded object key, or `nil` for a request to a bucket or to the service.
  ///   - parameters: The decoded query parameters in the order of the URL.
  public init(bucket: String?, key: String?, parameters: [Parameter]) {
    self.bucket = bucket.map { WireText($0) }
    self.key = key.map { WireText($0) }
    self.parameters = parameters
  }

  /// A target with the same bucket and object key, but without query parameters.
  package var withoutParameters: RequestTarget {
    RequestTarget(bucket: bucket?.string, key: key?.string, parameters: [])
  }

  /// The same target, except that query parameters are looked up case-insensitively.
  package var ignoringCase: RequestTarget {
    var target = self
    target.ignoresCase = true
    return target
  }

  /// Returns a target with the same bucket, object key and case sensitivity, but with other query parameters.
  func replacingParameters(with parameters: [Parameter]) -> RequestTarget {
    var target = RequestTarget(bucket: bucket?.string, key: key?.string, parameters: parameters)
    target.ignoresCase = ignoresCase
    return target
  }

  /// Returns the value of the first query parameter with a name, or `nil` if the target has no such parameter.
  ///
  /// For a parameter without `=`, the result is an empty text. In a request that was verified for COS, the lookup
  /// ignores case, as the signature does.
  public subscript(_ name: WireText) -> WireText? {
    first(name).map { $0.value ?? "" }
  }

  /// Returns a Boolean value that indicates whether the target has a query parameter with a name.
  public func contains(_ name: WireText) -> Bool {
    first(name) != nil
  }

  private func first(_ name: WireText) -> Parameter? {
    guard ignoresCase else { return parameters.first { $0.name == name } }
    let name = name.asciiLowercased
    return parameters.first { $0.name.asciiLowercased == name }
  }
}
