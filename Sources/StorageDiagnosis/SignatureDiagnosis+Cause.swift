extension SignatureDiagnosis {
  /// Why a service refused a signature.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    // What was sent and what the service saw differ.

    /// A `Content-Type` that was not signed came along.
    case contentTypeAdded
    /// The `Content-Type` is another one, or gone.
    case contentTypeChanged
    /// The `Content-MD5` was added, changed or removed.
    case contentMD5Changed
    /// The date of the request is another one.
    case dateChanged
    /// The method is another one.
    case methodChanged
    /// A `+` and a space were taken for each other.
    case plusForSpace
    /// Something was percent-encoded once more on its way.
    case encodedTwice
    /// Something was percent-decoded once more on its way.
    case decodedTwice
    /// Something is percent-encoded with other escapes, such as in lower case.
    case escapeSpelling
    /// Characters with accents are spelt in another Unicode form.
    case unicodeForm
    /// Something was put in front of the path.
    case pathPrefixAdded
    /// Something in front of the path was taken away.
    case pathPrefixRemoved
    /// `//` became `/`.
    case slashesMerged
    /// `.` and `..` were resolved.
    case dotsResolved
    /// The path is another one.
    case pathChanged
    /// The bucket that was signed is not the one that was reached.
    case wrongBucket
    /// The bucket was not signed.
    case bucketMissing
    /// The host was signed with a port and seen without, or the other way round, or with another one.
    case hostPort
    /// The host is another one.
    case hostChanged
    /// A parameter that the service signs was sent and not signed.
    case subresourceUnsigned
    /// A parameter came along on the way.
    case parameterAdded
    /// A parameter was lost on the way.
    case parameterRemoved
    /// A parameter has another value.
    case parameterChanged
    /// A header that has an effect came along after signing.
    case headerAdded
    /// A signed header was lost on the way.
    case headerRemoved
    /// A signed header has another value.
    case headerChanged
    /// The lists of additional headers differ.
    case additionalHeaders
    /// The lists of what is signed do not fit the request.
    case signedListMismatch
    /// Something that has an effect is not on the list of what is signed.
    case unsignedField
    /// The payload hashes differ.
    case payloadHash
    /// The session token was sent and not signed.
    case tokenUnsigned
    /// Two texts differ in a way that has no name.
    case otherDifference

    // The text is the same.

    /// All lines are the same: the secret is wrong, or what was signed was not what was sent.
    case wrongSecret
    /// All lines that are shown are the same, and their hashes differ.
    case hiddenDifference

    // Who, when, for what.

    /// The id is unknown.
    case unknownKeyID
    /// The key is temporary and came without its token.
    case tokenMissing
    /// The session token is that of another key.
    case tokenOfAnotherKey
    /// The session token has ended.
    case tokenExpired
    /// The clock of the machine that signs is off.
    case clockSkew
    /// The signature, or the URL, is past its end.
    case expired
    /// The signature is not valid yet.
    case notYetValid
    /// The day of the scope is not that of the request.
    case wrongDay
    /// The request has no date that can be read.
    case dateMissing
    /// The region is not that of the bucket, or misspelt.
    case wrongRegion
    /// The product is not that of the service.
    case wrongProduct
    /// The bucket takes another version of the signature.
    case wrongVersion
    /// The signature is there twice, in the headers and in the URL.
    case signatureTwice
    /// The request is not signed.
    case unsigned
    /// The authorization cannot be read.
    case malformedAuthorization
    /// The signature was taken; whoever signed may not do this.
    case accessDenied
    /// The service gave no reason.
    case unexplained
  }
}
