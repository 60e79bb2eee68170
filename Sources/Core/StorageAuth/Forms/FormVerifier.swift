// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// A verifier for the signatures and policies of submitted forms.
///
/// Verification has two steps, so that the key can be looked up between them: ``claim(in:)`` and
/// ``verify(_:against:at:)``. Both steps run after the fields have arrived and before the bytes of the file.
public protocol FormVerifier: Sendable {
  /// Parses the identity that a form claims for its signature.
  ///
  /// - Returns: The access key ID and the session token that the form contains.
  /// - Throws: A ``VerificationError`` if the form contains no authorization, two authorizations or a malformed
  ///   authorization, if a field appears twice, or if the form exceeds the limits.
  func claim(in form: SubmittedForm) throws(VerificationError) -> FormClaim

  /// Verifies a form's signature with an access key, and checks the form against its policy.
  ///
  /// The policy is parsed only after the signature was checked. The form must have the field of each condition, except
  /// for `bucket`, which is the bucket that the form was posted to.
  ///
  /// - Parameters:
  ///   - form: The form as received.
  ///   - key: The access key with the claimed ID.
  ///   - date: The current time.
  /// - Throws: A ``VerificationError`` if the time, the scope, the token, the signature or a condition is wrong.
  func verify(
    _ form: SubmittedForm, against key: AccessKey, at date: Timestamp
  ) throws(VerificationError) -> VerifiedForm
}

/// The identity that a form claims for its signature, before the signature is verified.
public struct FormClaim: SignatureClaim {
  /// The ID of the access key that the form claims to be signed with.
  public let accessKeyID: AccessKeyID
  /// The session token in the form, or `nil` if the form contains no session token.
  public let sessionToken: Secret?

  /// Creates the claim of a form, for implementations of ``FormVerifier``; the parameters are the properties.
  public init(accessKeyID: AccessKeyID, sessionToken: Secret?) {
    self.accessKeyID = accessKeyID
    self.sessionToken = sessionToken
  }
}

extension FormVerifier {
  /// Verifies a form with an access key that is looked up by its ID.
  ///
  /// Rejecting an unknown ID costs the same hashing as a wrong signature, so that the time does not tell which IDs
  /// exist. The error does not contain the string to sign.
  ///
  /// - Parameters:
  ///   - form: The form as received.
  ///   - date: The current time.
  ///   - lookup: A function that returns the access key with an ID, or `nil` if the key does not exist.
  /// - Throws: A ``VerificationError`` for a wrong signature or a violated policy, or the error that `lookup` throws.
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

/// A form whose signature was verified and that satisfies its policy.
///
/// The code that stores the file must enforce ``sizes``, and must decide about ``unlistedFields``.
public struct VerifiedForm: Sendable {
  /// The ID of the access key that signed the form.
  public let accessKeyID: AccessKeyID
  /// The key of the object to store, in which `${filename}` has been replaced with the file name.
  public let key: String
  /// The permitted size of the uploaded file in bytes.
  public let sizes: ClosedRange<Int64>
  /// The media type with which the object must be stored, or `nil` if the form specifies no media type.
  public let contentType: String?
  /// The time at which the form's policy expires.
  public let expiration: Timestamp
  /// The submitted form that was verified.
  public let form: SubmittedForm
  /// The lowercase names of fields, such as `acl`, that the service accepts and no condition of the policy restricts.
  public let unlistedFields: [String]

  /// Creates a verified form, for implementations of ``FormVerifier``; the parameters are the properties.
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
