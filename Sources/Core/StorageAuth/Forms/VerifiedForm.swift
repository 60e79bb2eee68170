// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A form whose signature was verified and that satisfies its policy.
///
/// The code that stores the file must enforce ``sizes``; everything else has been checked.
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

  /// The lowercase names of the fields without a condition in the policy that the services accept, such as `acl`.
  public let unlistedFields: [String]

  /// Creates the result of a successful verification; for implementations of ``FormVerifier``.
  ///
  /// - Parameters:
  ///   - accessKeyID: The ID of the access key that signed the form.
  ///   - key: The key of the object to store, in which `${filename}` has been replaced with the file name.
  ///   - sizes: The permitted size of the file in bytes.
  ///   - contentType: The media type with which the object must be stored, or `nil` if the form has none.
  ///   - expiration: The time at which the form's policy expires.
  ///   - form: The submitted form that was verified.
  ///   - unlistedFields: The lowercase names of the fields that the policy has no condition on.
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
