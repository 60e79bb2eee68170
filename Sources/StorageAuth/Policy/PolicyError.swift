// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The error of a policy that a provider cannot express, or that does not allow a request.
///
/// It states the problem, its location and the remedy. A provider's document that would allow more than the policy, or
/// that leaves a condition out, is never generated.
public struct PolicyError: Error, Sendable, Hashable {
  /// The kind of the problem.
  public let code: Code

  /// The problem and its location, in one sentence.
  public let message: String

  /// The remedy, in one sentence.
  public let remedy: String

  /// Creates an error; for functions that convert policies to documents.
  ///
  /// - Parameters:
  ///   - code: The kind of the problem.
  ///   - message: The problem and its location, in one sentence without secrets.
  ///   - remedy: The remedy, in one sentence.
  public init(_ code: Code, _ message: String, remedy: String) {
    self.code = code
    self.message = message.onOneLine
    self.remedy = remedy.onOneLine
  }

  /// A kind of problem.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private enum Value: String {
      case empty, invalidRule, invalidBucket, unsupportedCondition, unsupportedKey, unknownRegion, tooLong, refused
    }

    private let value: Value

    /// The policy has no rule with an action.
    public static let empty = Code(value: .empty)
    /// A rule is not meaningful, such as one with an empty list of addresses.
    public static let invalidRule = Code(value: .invalidRule)
    /// The name of a bucket is not valid for the provider.
    public static let invalidBucket = Code(value: .invalidBucket)
    /// The provider does not support the condition.
    public static let unsupportedCondition = Code(value: .unsupportedCondition)
    /// The provider cannot express these keys.
    public static let unsupportedKey = Code(value: .unsupportedKey)
    /// The region of a bucket is not given.
    public static let unknownRegion = Code(value: .unknownRegion)
    /// The document is longer than the provider accepts.
    public static let tooLong = Code(value: .tooLong)
    /// The policy does not allow the request.
    public static let refused = Code(value: .refused)

    /// The name of the code.
    public var description: String { value.rawValue }
  }
}

extension PolicyError: CustomStringConvertible {
  /// The code, the message and the remedy.
  public var description: String { "\(code): \(message) \(remedy)" }
}
