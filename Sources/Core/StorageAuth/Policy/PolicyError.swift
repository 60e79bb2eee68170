// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The error for an access policy that a provider cannot express, or that does not allow a request.
///
/// The error describes the problem, its location and the remedy. A provider's document that would allow more than the
/// policy, or that omits a condition, is never generated.
public struct PolicyError: DetailedError {
  /// The code, the message and the remedy.
  public let details: ErrorDetails<Code>

  /// Creates an error.
  ///
  /// - Parameter details: The code, the message and the remedy.
  public init(_ details: ErrorDetails<Code>) { self.details = details }

  /// A code that identifies the kind of problem with an access policy.
  public struct Code: Sendable, Hashable, CustomStringConvertible {
    private let name: String

    /// The access policy contains no rule with an action.
    public static let empty = Code(name: "empty")
    /// A rule of the policy is invalid, for example because its list of addresses is empty.
    public static let invalidRule = Code(name: "invalidRule")
    /// A bucket name in the policy is invalid for the provider.
    public static let invalidBucket = Code(name: "invalidBucket")
    /// The provider does not support a condition of the policy.
    public static let unsupportedCondition = Code(name: "unsupportedCondition")
    /// The provider cannot express a key or prefix in the policy.
    public static let unsupportedKey = Code(name: "unsupportedKey")
    /// The region of a bucket in the policy is not specified.
    public static let unknownRegion = Code(name: "unknownRegion")
    /// The generated policy document is longer than the provider accepts.
    public static let tooLong = Code(name: "tooLong")
    /// The policy does not allow the requested access.
    public static let refused = Code(name: "refused")

    /// The name of the error code, such as `tooLong`.
    public var description: String { name }
  }
}
