// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension SignatureDiagnosis {
  /// A cause of a signature's rejection.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    // The request differs from the request that the service received.

    /// A `Content-Type` that was not signed was added in transit.
    case contentTypeAdded
    /// The `Content-Type` header was changed or removed in transit.
    case contentTypeChanged
    /// The `Content-MD5` header was added, changed or removed in transit.
    case contentMD5Changed
    /// The date of the request was changed in transit.
    case dateChanged
    /// The method of the request was changed in transit.
    case methodChanged
    /// A `+` was read as a space, or a space was read as a `+`.
    case plusForSpace
    /// A value was percent-encoded once more in transit.
    case encodedTwice
    /// A value was percent-decoded once more in transit.
    case decodedTwice
    /// A value is percent-encoded with different escapes, such as lowercase escapes.
    case escapeSpelling
    /// Accented characters are in a different Unicode normalization form.
    case unicodeForm
    /// A prefix was added to the path in transit.
    case pathPrefixAdded
    /// A prefix was removed from the path in transit.
    case pathPrefixRemoved
    /// Consecutive slashes in the path were merged in transit.
    case slashesMerged
    /// The segments `.` and `..` in the path were resolved in transit.
    case dotsResolved
    /// The path was changed in transit.
    case pathChanged
    /// The signed bucket differs from the bucket that the request reached.
    case wrongBucket
    /// The client signed the bucket name twice, as part of the path and in addition to it.
    case bucketTwice
    /// The signature does not cover the bucket name.
    case bucketMissing
    /// The signed host and the received host have different ports, or only one of them has a port.
    case hostPort
    /// The host was changed in transit.
    case hostChanged
    /// The client sent a query parameter that the service signs, but did not sign it.
    case subresourceUnsigned
    /// A query parameter was added in transit.
    case parameterAdded
    /// A query parameter was removed in transit.
    case parameterRemoved
    /// The value of a query parameter was changed in transit.
    case parameterChanged
    /// A header that has an effect was added after signing.
    case headerAdded
    /// A signed header was removed in transit.
    case headerRemoved
    /// The value of a signed header was changed in transit.
    case headerChanged
    /// The client's and the service's lists of additional signed headers differ.
    case additionalHeaders
    /// The lists of signed header and parameter names do not match the request.
    case signedListMismatch
    /// A header or query parameter that has an effect is not listed as signed.
    case unsignedField
    /// The client's and the service's payload hashes differ.
    case payloadHash
    /// The client sent the session token, but did not sign it.
    case tokenUnsigned
    /// The strings differ, but the difference has no specific cause.
    case otherDifference

    // The client's and the service's strings are equal.

    /// The client signed exactly the string that the service shows, so the secret is wrong.
    case wrongSecret
    /// The secret is wrong, or the client signed another string than that of the sent request.
    ///
    /// Only a comparison with the key, or the string of the signing program, tells which of the two it is.
    case unknown
    /// All lines that the service shows are equal, but the hashes of the strings differ.
    case hiddenDifference

    // The key, the time or the scope is wrong.

    /// The access key ID is unknown.
    case unknownKeyID
    /// The key is temporary, but the request contains no session token.
    case tokenMissing
    /// The session token belongs to another key.
    case tokenOfAnotherKey
    /// The session token has expired.
    case tokenExpired
    /// The clock of the signing machine is wrong.
    case clockSkew
    /// The signature or the presigned URL has expired.
    case expired
    /// The signature is not valid yet.
    case notYetValid
    /// The day in the signature's scope differs from the day of the request.
    case wrongDay
    /// The request contains no date that can be parsed.
    case dateMissing
    /// The region in the signature's scope is misspelled, or differs from the bucket's region.
    case wrongRegion
    /// The product in the signature's scope differs from the product of the service.
    case wrongProduct
    /// The bucket requires another signature version.
    case wrongVersion
    /// The request contains two signatures, one in the headers and one in the URL.
    case signatureTwice
    /// The request is not signed.
    case unsigned
    /// The authorization cannot be parsed.
    case malformedAuthorization
    /// The service accepted the signature, but the key lacks the permission.
    case accessDenied
    /// The service gave no reason for the rejection.
    case unexplained
  }
}
