// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension SignatureDiagnosis {
  /// The cause of a signature's rejection.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    // The request differs from what the service saw.

    /// A `Content-Type` that was not signed was added.
    case contentTypeAdded
    /// The `Content-Type` was changed or removed.
    case contentTypeChanged
    /// The `Content-MD5` was added, changed or removed.
    case contentMD5Changed
    /// The date of the request was changed.
    case dateChanged
    /// The method was changed.
    case methodChanged
    /// A `+` was read as a space, or a space as a `+`.
    case plusForSpace
    /// A value was percent-encoded once more in transit.
    case encodedTwice
    /// A value was percent-decoded once more in transit.
    case decodedTwice
    /// A value is percent-encoded with other escapes, such as in lower case.
    case escapeSpelling
    /// Accented characters are in another Unicode normalization form.
    case unicodeForm
    /// A prefix was added to the path.
    case pathPrefixAdded
    /// A prefix was removed from the path.
    case pathPrefixRemoved
    /// `//` became `/`.
    case slashesMerged
    /// `.` and `..` were resolved.
    case dotsResolved
    /// The path was changed.
    case pathChanged
    /// The signed bucket is not the one that the request reached.
    case wrongBucket
    /// The bucket was not signed.
    case bucketMissing
    /// The host was signed with a port and seen without one, or the reverse, or with another port.
    case hostPort
    /// The host was changed.
    case hostChanged
    /// A parameter that the service signs was sent and not signed.
    case subresourceUnsigned
    /// A parameter was added in transit.
    case parameterAdded
    /// A parameter was removed in transit.
    case parameterRemoved
    /// A parameter has another value.
    case parameterChanged
    /// A header that has an effect was added after signing.
    case headerAdded
    /// A signed header was removed in transit.
    case headerRemoved
    /// A signed header has another value.
    case headerChanged
    /// The lists of additional headers differ.
    case additionalHeaders
    /// The lists of signed names do not match the request.
    case signedListMismatch
    /// A header or parameter that has an effect is not listed as signed.
    case unsignedField
    /// The payload hashes differ.
    case payloadHash
    /// The session token was sent and not signed.
    case tokenUnsigned
    /// The strings differ in a way that has no specific name.
    case otherDifference

    // The strings are equal.

    /// All lines are equal: the secret is wrong, or the signed string was not that of the sent request.
    case wrongSecret
    /// All lines that are shown are equal, and their hashes differ.
    case hiddenDifference

    // The key, the time or the scope is wrong.

    /// The access key ID is unknown.
    case unknownKeyID
    /// The key is temporary and its token is missing.
    case tokenMissing
    /// The session token belongs to another key.
    case tokenOfAnotherKey
    /// The session token has expired.
    case tokenExpired
    /// The clock of the signing machine is wrong.
    case clockSkew
    /// The signature, or the URL, has expired.
    case expired
    /// The signature is not valid yet.
    case notYetValid
    /// The day of the scope is not that of the request.
    case wrongDay
    /// The request has no date that can be parsed.
    case dateMissing
    /// The region is not that of the bucket, or misspelt.
    case wrongRegion
    /// The product is not that of the service.
    case wrongProduct
    /// The bucket requires another signature version.
    case wrongVersion
    /// The request has two signatures, in the headers and in the URL.
    case signatureTwice
    /// The request is not signed.
    case unsigned
    /// The authorization cannot be parsed.
    case malformedAuthorization
    /// The signature was accepted; the key lacks the permission.
    case accessDenied
    /// The service stated no reason.
    case unexplained
  }
}
