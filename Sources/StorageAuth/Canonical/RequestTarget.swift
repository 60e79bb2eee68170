// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The target of a request: its bucket, key and query parameters, decoded once.
public struct RequestTarget: Sendable, Hashable {
  /// The bucket, or `nil` for a request to the service itself.
  public let bucket: WireText?

  /// The decoded object key, or `nil` for a request to the bucket or the service.
  public let key: WireText?

  /// The decoded query parameters in the order of the URL; a parameter without `=` has no value.
  public let parameters: [Parameter]

  /// Whether parameters are looked up without regard to case, because their names were signed in lower case.
  private var ignoresCase = false

  /// A query parameter.
  public struct Parameter: Sendable, Hashable {
    /// The name.
    public let name: WireText

    /// The value, or `nil` if the parameter has no `=`.
    public let value: WireText?

    /// Creates a parameter.
    ///
    /// - Parameters:
    ///   - name: The name.
    ///   - value: The value, or `nil` for a parameter without `=`.
    public init(name: String, value: String?) {
      self.name = WireText(name)
      self.value = value.map { WireText($0) }
    }
  }

  /// Creates a target.
  ///
  /// - Parameters:
  ///   - bucket: The bucket, or `nil` for the service itself.
  ///   - key: The object key, or `nil` for the bucket or the service.
  ///   - parameters: The query parameters, decoded.
  public init(bucket: String?, key: String?, parameters: [Parameter]) {
    self.bucket = bucket.map { WireText($0) }
    self.key = key.map { WireText($0) }
    self.parameters = parameters
  }

  /// The same bucket and key without parameters.
  package var withoutParameters: RequestTarget {
    RequestTarget(bucket: bucket?.string, key: key?.string, parameters: [])
  }

  /// The same target with case-insensitive lookup of parameters.
  package var ignoringCase: RequestTarget {
    var target = self
    target.ignoresCase = true
    return target
  }

  /// Returns the same bucket and key with other parameters, and with the same rule for their lookup.
  func replacingParameters(with parameters: [Parameter]) -> RequestTarget {
    var target = RequestTarget(bucket: bucket?.string, key: key?.string, parameters: parameters)
    target.ignoresCase = ignoresCase
    return target
  }

  /// Returns the value of the first parameter with a name, or an empty text if it has none, or `nil` if there is no
  /// such parameter.
  ///
  /// In a request that was verified for COS, the lookup ignores case, as the signature does.
  public subscript(_ name: WireText) -> WireText? {
    first(name).map { $0.value ?? "" }
  }

  /// Returns whether the target has a parameter with a name.
  public func contains(_ name: WireText) -> Bool {
    first(name) != nil
  }

  private func first(_ name: WireText) -> Parameter? {
    guard ignoresCase else { return parameters.first { $0.name == name } }
    let name = name.asciiLowercased
    return parameters.first { $0.name.asciiLowercased == name }
  }
}
