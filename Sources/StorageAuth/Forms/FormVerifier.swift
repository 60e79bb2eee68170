/// Checks the signature and the policy of a form that arrived.
///
/// Like for requests, the work has two halves so that a key can be looked up between them: ``claim(in:)`` and
/// ``verify(_:against:at:)``. Both are done when the fields are there and before the bytes of the file are: how many there
/// may be is in the result.
public protocol FormVerifier: Sendable {
  /// Reads who a form says it is from.
  ///
  /// - Parameter form: The form as it arrived.
  /// - Throws: A ``VerificationError`` if the form carries no authorization, two at once, one that is malformed, a field
  ///   twice, or more than the limits allow.
  func claim(in form: SubmittedForm) throws(VerificationError) -> FormClaim

  /// Proves a form.
  ///
  /// The signature is checked first, then every condition of the policy: the field of each has to be in the form, but for
  /// `bucket`, which is where the form was posted to.
  ///
  /// - Parameters:
  ///   - form: The form as it arrived.
  ///   - key: The key of the claim's id.
  ///   - date: The present.
  /// - Returns: The proof, with the one reading of the form and the sizes that the file may have.
  /// - Throws: A ``VerificationError`` if the time, the scope, the token, the signature or a condition is wrong.
  func verify(_ form: SubmittedForm, against key: AccessKey, at date: Timestamp) throws(VerificationError)
    -> VerifiedForm
}

/// What a form says about its signature.
public struct FormClaim: SignatureClaim {
  /// The id of the key that it says it was signed with.
  public let accessKeyID: AccessKeyID

  /// The session token that came along.
  public let sessionToken: Secret?

  /// Creates a claim; for verifiers.
  ///
  /// - Parameters:
  ///   - accessKeyID: The id of the key that the form says it was signed with.
  ///   - sessionToken: The session token that came along.
  public init(accessKeyID: AccessKeyID, sessionToken: Secret?) {
    self.accessKeyID = accessKeyID
    self.sessionToken = sessionToken
  }
}

extension FormVerifier {
  /// Verifies a form with a key that is looked up by its id.
  ///
  /// An unknown id costs the same hashing as a wrong signature; what was computed is not shown for it.
  ///
  /// - Parameters:
  ///   - form: The form as it arrived.
  ///   - date: The present.
  ///   - lookup: Looks up the key of an id; returns `nil` if there is none.
  /// - Returns: The proof.
  /// - Throws: A ``VerificationError`` if the form is not rightly signed or not as its policy says, or what `keys` throws.
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

/// The proof that a form was signed by the holder of a key and is as its policy says.
///
/// What stores the file has to keep to ``sizes``; everything else was checked.
public struct VerifiedForm: Sendable {
  /// The id of the key.
  public let accessKeyID: AccessKeyID

  /// The key of the object, with the name of the file in it.
  public let key: String

  /// How many bytes the file may have.
  public let sizes: ClosedRange<Int64>

  /// The media type that the object gets.
  public let contentType: String?

  /// When the policy ends.
  public let expiration: Timestamp

  /// The form.
  public let form: SubmittedForm

  /// The names of the fields, in lower case, that the policy says nothing about and that the services let through;
  /// `acl` may be among them.
  public let unlistedFields: [String]

  /// Creates the result of a successful verification; for verifiers.
  ///
  /// - Parameters:
  ///   - accessKeyID: The id of the key.
  ///   - key: The key of the object, with the name of the file in it.
  ///   - sizes: How many bytes the file may have.
  ///   - contentType: The media type that the object gets.
  ///   - expiration: When the policy ends.
  ///   - form: The form.
  ///   - unlistedFields: The names of the fields, in lower case, that the policy says nothing about.
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
