// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An error that says what happened and what to do about it, without secrets.
///
/// ```swift
/// catch let error as any ActionableError { show(error.message, advice: error.remedy) }
/// ```
public protocol ActionableError: Error, CustomStringConvertible {
  /// The type of the codes.
  associatedtype Code: CustomStringConvertible, Sendable

  /// The code that identifies the kind of problem.
  var code: Code { get }

  /// A sentence that describes the problem.
  var message: String { get }

  /// A sentence that describes how to fix the problem.
  var remedy: String { get }
}

extension ActionableError {
  /// The error code, the message and the remedy in one line.
  public var description: String { "\(code): \(message) \(remedy)" }
}

/// An error whose description contains no secrets, so that events can show it; every ``ActionableError`` is one as well.
package protocol PrintableError: Error, CustomStringConvertible {}
