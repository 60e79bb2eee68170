// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageCrypto

/// An HTTP request of any library, whose parts a ``HeaderSigner`` reads in place.
///
/// `HTTPRequest` is one. A type of another library becomes one in a few lines, so that a request need not be converted
/// before it is signed:
///
/// ```swift
/// extension MyRequest: SignableRequest {
///   var methodName: String { verb }
///   var scheme: String? { url.scheme }
///   var authority: String? { url.hostAndPort }
///   var path: String? { url.pathAndQuery }
///   var headerFields: MyHeaders { headers }  // a `SignableFields`
/// }
/// ```
public protocol SignableRequest {
  /// The type of the header fields.
  associatedtype HeaderFields: SignableFields

  /// The name of the method, such as `PUT`.
  var methodName: String { get }

  /// The scheme of the URL, such as `https`, or `nil` if it is not known.
  var scheme: String? { get }

  /// The host with its port, exactly as the request sends it, or `nil` if the request has none.
  var authority: String? { get }

  /// The path and the query, percent-encoded exactly as the request sends them; `nil` means `/`.
  var path: String? { get }

  /// The header fields, without `Host`.
  var headerFields: HeaderFields { get }
}

/// The header fields of a ``SignableRequest``, each of which has an index from 0.
public protocol SignableFields {
  /// The number of fields.
  var count: Int { get }

  /// Calls a function with the bytes of a field's name in lowercase.
  ///
  /// - Parameters:
  ///   - index: The index of the field, which is less than ``count``.
  ///   - body: A function that must be called exactly once.
  func withName<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result

  /// Calls a function with the bytes of a field's value.
  ///
  /// - Parameters:
  ///   - index: The index of the field, which is less than ``count``.
  ///   - body: A function that must be called exactly once.
  func withValue<Result>(at index: Int, _ body: (Span<UInt8>) -> Result) -> Result
}

extension HTTPRequest: SignableRequest {
  /// The name of the method, such as `PUT`.
  @inlinable public var methodName: String { method.rawValue }
}

extension HTTPFields: SignableFields {}

extension SignableFields {
  /// Returns the first index of a name in lowercase, or `nil` if no field has it.
  @inlinable
  package func index(ofName name: String) -> Int? {
    for index in 0..<count where withName(at: index, { $0.hasBytes(of: name) }) { return index }
    return nil
  }

  /// Returns the value of the first field with a name, or `nil` if no field has it.
  package func value(of name: HTTPField.Name) -> String? {
    index(ofName: name.canonicalName).map { index in
      withValue(at: index) { bytes in String(writing: { $0.append(bytes) }) }
    }
  }

  /// Returns a field's name, for an error.
  package func name(at index: Int) -> HTTPField.Name {
    withName(at: index) { bytes in HTTPField.Name(String(writing: { $0.append(bytes) })) ?? .mistyped }
  }
}

extension Span<UInt8> {
  @usableFromInline
  func hasBytes(of text: String) -> Bool { withBytes(of: text) { isIdentical(to: $0) } }
}
