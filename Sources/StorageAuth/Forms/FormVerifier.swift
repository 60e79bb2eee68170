// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A verifier of the signature and the policy of a submitted form.
///
/// As for requests, verification has two steps, so that the key can be looked up between them: ``claim(in:)`` and
/// ``verify(_:against:at:)``. Both run after the fields have arrived and before the bytes of the file; the result
/// contains the permitted size of the file.
public protocol FormVerifier: Sendable {
  /// Parses the identity that a form claims.
  ///
  /// - Parameter form: The form as it arrived.
  /// - Returns: The access key ID and the session token that the form contains.
  /// - Throws: A ``VerificationError`` if the form has no authorization, two at once or a malformed one, if a field
  ///   appears twice, or if the form exceeds the limits.
  func claim(in form: SubmittedForm) throws(VerificationError) -> FormClaim

  /// Verifies a form.
  ///
  /// The signature is checked first, then every condition of the policy: the field of each condition must be in the
  /// form, except for `bucket`, which is the bucket that the form was posted to.
  ///
  /// - Parameters:
  ///   - form: The form as it arrived.
  ///   - key: The key with the claimed ID.
  ///   - date: The present.
  /// - Returns: The verified form, with its only reading and the permitted sizes of the file.
  /// - Throws: A ``VerificationError`` if the time, the scope, the token or the signature is wrong, or a condition is
  ///   not satisfied.
  func verify(_ form: SubmittedForm, against key: AccessKey, at date: Timestamp) throws(VerificationError)
    -> VerifiedForm
}

/// The identity that a form claims for its signature.
public struct FormClaim: SignatureClaim {
  /// The ID of the key that the form claims to be signed with.
  public let accessKeyID: AccessKeyID

  /// The session token in the form, or `nil` if it contains none.
  public let sessionToken: Secret?

  /// Creates a claim; for implementations of verifiers.
  ///
  /// - Parameters:
  ///   - accessKeyID: The ID of the key that the form claims to be signed with.
  ///   - sessionToken: The session token in the form, or `nil` if it contains none.
  public init(accessKeyID: AccessKeyID, sessionToken: Secret?) {
    self.accessKeyID = accessKeyID
    self.sessionToken = sessionToken
  }
}

extension FormVerifier {
  /// Verifies a form with a key that is looked up by its ID.
  ///
  /// An unknown ID costs the same hashing as a wrong signature, and its error does not contain the computed strings.
  ///
  /// - Parameters:
  ///   - form: The form as it arrived.
  ///   - date: The present.
  ///   - lookup: Returns the key with an ID, or `nil` if no key has it.
  /// - Returns: The verified form.
  /// - Throws: A ``VerificationError`` if the form is not signed correctly or does not satisfy its policy, or the error
  ///   that `lookup` throws.
  public func verify(
    _ form: SubmittedForm, at date: Timestamp, lookup: @Sendable @concurrent (AccessKeyID) async throws -> AccessKey?
  ) async throws -> VerifiedForm {
    let claim = try claim(in: form)
    guard let key = try await lookup(claim.accessKeyID) else {
      _ = try? verify(form, against: .decoy(for: claim), at: date)
      throw VerificationError.unknownKey(claim.accessKeyID)
    }
    return try verify(form, against: key, at: date)
  }
}

/// A form that was verified: the holder of a key signed it, and it satisfies its policy.
///
/// The code that stores the file must enforce ``sizes``; everything else has been checked.
public struct VerifiedForm: Sendable {
  /// The access key ID.
  public let accessKeyID: AccessKeyID

  /// The key of the object, with the file name in place of the variable.
  public let key: String

  /// The permitted size of the file in bytes.
  public let sizes: ClosedRange<Int64>

  /// The media type with which the object is stored.
  public let contentType: String?

  /// The time at which the policy expires.
  public let expiration: Timestamp

  /// The form.
  public let form: SubmittedForm

  /// The names, in lower case, of the fields that the policy has no condition on and that the services accept; `acl`
  /// may be one of them.
  public let unlistedFields: [String]

  /// Creates the result of a successful verification; for implementations of verifiers.
  ///
  /// - Parameters:
  ///   - accessKeyID: The access key ID.
  ///   - key: The key of the object, with the file name in place of the variable.
  ///   - sizes: The permitted size of the file in bytes.
  ///   - contentType: The media type with which the object is stored.
  ///   - expiration: The time at which the policy expires.
  ///   - form: The form.
  ///   - unlistedFields: The names, in lower case, of the fields that the policy has no condition on.
  public init(
    accessKeyID: AccessKeyID, key: String, sizes: ClosedRange<Int64>, contentType: String?, expiration: Timestamp,
    form: SubmittedForm, unlistedFields: [String]
  ) {
    self.accessKeyID = accessKeyID
    self.key = key
    self.sizes = sizes
    self.contentType = contentType
    self.expiration = expiration
    self.form = form
    self.unlistedFields = unlistedFields
  }
}
