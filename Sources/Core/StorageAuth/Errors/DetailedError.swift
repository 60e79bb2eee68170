// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// An error that stores its code, its message and its remedy as one value; its type lists the codes.
public protocol DetailedError: ActionableError, Hashable where Code: Hashable {
  /// The code, the message and the remedy.
  var details: ErrorDetails<Code> { get }

  /// Creates an error.
  ///
  /// - Parameter details: The code, the message and the remedy.
  init(_ details: ErrorDetails<Code>)
}

extension DetailedError {
  /// The code that identifies the kind of problem.
  public var code: Code { details.code }

  /// A sentence that describes the problem and its location.
  public var message: String { details.message }

  /// A sentence that describes how to fix the problem.
  public var remedy: String { details.remedy }

  /// Creates an error; for implementations of the protocols whose functions throw it.
  ///
  /// - Parameters:
  ///   - code: The kind of problem.
  ///   - message: A sentence that describes the problem and its location, without secrets.
  ///   - remedy: A sentence that describes how to fix the problem.
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
