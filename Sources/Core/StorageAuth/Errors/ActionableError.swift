// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
  /// A sentence that describes the problem and its location.
  var message: String { get }
  /// A sentence that describes how to fix the problem.
  var remedy: String { get }
}

extension ActionableError {
  /// The error code, the message and the remedy.
  public var description: String { "\(code): \(message) \(remedy)" }
}

/// An error whose description contains no secrets, so that events can show it, as they show each ``ActionableError``.
package protocol PrintableError: Error, CustomStringConvertible {}

/// An error that stores its code, its message and its remedy as one value.
public protocol DetailedError: ActionableError, Hashable where Code: Hashable {
  /// The code, the message and the remedy.
  var details: ErrorDetails<Code> { get }

  /// Creates an error from its code, its message and its remedy.
  init(_ details: ErrorDetails<Code>)
}

extension DetailedError {
  /// The code that identifies the kind of problem.
  public var code: Code { details.code }
  /// A sentence that describes the problem and its location.
  public var message: String { details.message }
  /// A sentence that describes how to fix the problem.
  public var remedy: String { details.remedy }

  /// Creates an error, for implementations of protocols; the parameters, without secrets, are the properties.
  public init(_ code: Code, _ message: String, remedy: String) {
    self.init(ErrorDetails(code, message, remedy: remedy))
  }
}

/// A code that identifies a problem, with sentences that describe the problem and how to fix it, each on one line.
public struct ErrorDetails<Code: Hashable & Sendable>: Sendable, Hashable {
  let code: Code
  let message: String
  let remedy: String

  init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }
}
