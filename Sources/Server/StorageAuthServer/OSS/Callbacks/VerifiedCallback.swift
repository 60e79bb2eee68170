// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import CloudCredentials
internal import StorageAuth

/// A callback that OSS sent, as its signature covers it.
public struct VerifiedCallback: Sendable, Hashable {
  /// The path and the query of the request, as the request line contained them.
  public let target: String

  /// The body of the request.
  ///
  /// Its media type is not signed, so that the app decides whether it is a form or JSON.
  public let body: [UInt8]

  /// Returns the decoded value of a variable, if the body is a form.
  ///
  /// - Parameter name: The name of the variable, such as `object`.
  /// - Returns: The value, or `nil` if the variable is missing or occurs more than once, or if the body is not a form.
  public func value(of name: String) -> String? {
    guard let pairs = FormPair.read(String(decoding: body, as: UTF8.self)) else { return nil }
    let values = pairs.filter { $0.name.isIdentical(to: name) }
    return values.count == 1 ? values[0].value : nil
  }
}
