// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

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
    /// The bucket name is signed twice, or the URL contains it twice: as part of the path and in addition to it.
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
    /// The service in the signature's scope differs from the service of the endpoint.
    case wrongService
    /// The bucket requires another signature version.
    case wrongVersion
    /// The request contains two signatures, one in the headers and one in the URL.
    case multipleSignatures
    /// The request is not signed.
    case unsigned
    /// The authorization cannot be parsed.
    case malformedAuthorization
    /// The service accepted the signature, but the key lacks the permission.
    case accessDenied
    /// The service gave no reason for the rejection.
    case unexplained
  }

  /// A description of what usually leads to a cause, and of how to fix it.
  public typealias Advice = (usualCause: String, remedy: String)
}

extension SignatureDiagnosis.Cause {
  /// Returns advice with what usually leads to the cause, or the common description if that is `nil`.
  package func advice(_ usualCause: String? = nil, remedy: String) -> SignatureDiagnosis.Advice {
    (usualCause ?? commonUsualCause, remedy)
  }

  /// The advice that is the same for all services.
  package var commonAdvice: SignatureDiagnosis.Advice { (commonUsualCause, commonRemedy) }

  private var commonUsualCause: String {
    switch self {
    case .contentTypeAdded:
      "The HTTP stack added its own Content-Type after the request was signed; browsers and many libraries do."
    case .contentTypeChanged: "The HTTP stack or a proxy changed the Content-Type, often by adding a charset."
    case .contentMD5Changed: "The Content-MD5 was set, changed or dropped after signing."
    case .dateChanged: "The HTTP stack or a proxy set its own date after signing."
    case .methodChanged:
      "A URL that was presigned for one method is valid for no other; a proxy, a cache or a redirect can also send a "
        + "HEAD as a GET, or a PUT as a POST."
    case .plusForSpace: "One side encoded a space as + and the other read the + as a plus sign, or the reverse."
    case .encodedTwice: "The HTTP library or a proxy percent-encoded a value that was encoded already."
    case .decodedTwice: "A proxy or a framework decoded the URL and sent it on without its escapes."
    case .escapeSpelling:
      "The same bytes are percent-encoded in another form: with hexadecimal digits in lower case, or with other characters escaped."
    case .unicodeForm:
      "The strings look the same, but accented characters are in another Unicode form, as in many file names of macOS."
    case .pathPrefixAdded: "A proxy put its own prefix in front of the path."
    case .pathPrefixRemoved:
      "A proxy removed a prefix from the path, or the client signed a path with the prefix of the proxy."
    case .slashesMerged: "A proxy or a library merged two slashes into one."
    case .dotsResolved: "A proxy or a library resolved . and .. in the path."
    case .pathChanged: "A proxy rewrote the path."
    case .wrongBucket:
      "The host stands for another bucket than the one that was signed; with a custom domain only the signer knows the bucket."
    case .bucketTwice:
      "The bucket is named twice: the URL contains it in its path, and so does the host, or a client added it again, or "
        + "the signer was told it as for a custom domain."
    case .bucketMissing: "The signature covers the bucket even if the URL does not show it, as with a custom domain."
    case .hostPort: "The Host header was sent with a port and signed without, or a proxy listens on another port."
    case .hostChanged: "A proxy, a CDN or a custom domain sends another Host header than the one that was signed."
    case .subresourceUnsigned: "The service signs this query parameter, and the signer left it out."
    case .parameterAdded: "The client, a proxy or a CDN added a query parameter after signing."
    case .parameterRemoved: "A proxy, a CDN or a shell dropped a query parameter; an unquoted & ends a URL in a shell."
    case .parameterChanged: "A proxy or an app rewrote the query."
    case .headerAdded:
      "A header that the service includes in the signature was added after signing, by a proxy or by the app."
    case .headerRemoved: "A proxy or the HTTP stack dropped a signed header."
    case .headerChanged: "A proxy or the HTTP stack changed a signed header."
    case .additionalHeaders:
      "The list of additional headers is not the one of the authorization, or a listed header is missing."
    case .signedListMismatch:
      "The authorization lists a header or parameter that did not arrive, or arrived more than once."
    case .unsignedField:
      "A header or parameter that has an effect was added after signing, or the signer did not list it."
    case .payloadHash: "The signed hash is not that of the body that arrived."
    case .tokenUnsigned: "The session token was added after signing, although the signature covers it."
    case .otherDifference: "A proxy or a library rewrote the request."
    case .wrongSecret: "The secret does not belong to the access key id; an extra space or line break is enough."
    case .unknown:
      "Either the secret is wrong, or something else was signed than was sent: another method, path, parameter or "
        + "header."
    case .hiddenDifference:
      "The difference is in a value that is masked or missing in the response, usually the session token."
    case .unknownKeyID:
      "The id is misspelt, disabled or of another provider; the service forgets a temporary key some time after its expiration."
    case .tokenMissing: "A temporary key was used without its session token; the service then does not know the id."
    case .tokenOfAnotherKey:
      "The id and the token come from two responses of the token service, or a permanent key was used with a token."
    case .tokenExpired: "The temporary key has expired."
    case .clockSkew: "The clock of the signing machine is wrong."
    case .expired: "The signature was used too late, or the clock of the signing machine is slow."
    case .notYetValid: "The clock of the signing machine is fast."
    case .wrongDay: "The day is in local time, or was computed once and reused after midnight."
    case .dateMissing: "The HTTP stack or a proxy dropped the Date header, or changed its format."
    case .wrongRegion: "The region in the signature is not that of the bucket, or is misspelt."
    case .wrongService: "The product in the scope is not that of the service."
    case .wrongVersion: "The service requires another signature version."
    case .multipleSignatures: "A presigned URL was sent by a client that signs its requests as well."
    case .unsigned: "No key was configured, or a redirect or a proxy dropped the Authorization header."
    case .malformedAuthorization: "The authorization was composed or changed by hand."
    case .accessDenied: "The signature is right; a policy or an ACL does not allow the operation."
    case .unexplained: "Responses to HEAD have no body, and some proxies drop the body."
    }
  }

  private var commonRemedy: String {
    switch self {
    case .contentTypeAdded:
      "Set the Content-Type before signing, and sign it; for a URL, set it when the URL is created."
    case .contentTypeChanged: "Send exactly the Content-Type that was signed."
    case .contentMD5Changed: "Compute it before signing and send it unchanged; or leave it out."
    case .dateChanged: "Send the date that was signed."
    case .methodChanged: "Sign the method that reaches the service, and follow no redirect with the old signature."
    case .plusForSpace: "Encode a space as %20 and a plus sign as %2B, in the path and in the query."
    case .encodedTwice: "Pass the URL on in its encoded form, and do not encode it again."
    case .decodedTwice: "Pass the request target on byte for byte; in nginx, proxy_pass without a path."
    case .escapeSpelling: "Encode as RFC 3986 does, with upper-case digits, leaving letters, digits, - . _ and ~ alone."
    case .unicodeForm: "Normalize names once, before signing, and use that form everywhere."
    case .pathPrefixAdded: "Let the proxy strip the prefix before it passes the request on."
    case .pathPrefixRemoved: "Sign the path as the service sees it, or let the proxy pass it on unchanged."
    case .slashesMerged: "Disable merging (in nginx, merge_slashes off), or use keys without //."
    case .dotsResolved: "Pass the path on unchanged (with curl, --path-as-is), or use keys without such parts."
    case .pathChanged: "Pass the path on byte for byte."
    case .wrongBucket: "Name the bucket that the domain is bound to when the signer is created."
    case .bucketTwice:
      "Name it once: in the host or in the path of the URL, and to the signer only for a custom domain."
    case .bucketMissing: "Name the bucket when the signer is created: /bucket/key is signed."
    case .hostPort: "Sign the Host header as it is sent, with its port unless that is the default one."
    case .hostChanged:
      "Pass the Host header on, or sign the host that the service sees, or leave it out of the signed headers."
    case .subresourceUnsigned: "Add it to the parameters that are signed, or use a current SDK."
    case .parameterAdded: "Add it before signing, or remove it before the request reaches the service."
    case .parameterRemoved: "Pass the query on unchanged, and put URLs in quotes."
    case .parameterChanged: "Pass the query on byte for byte."
    case .headerAdded: "Set it before signing."
    case .headerRemoved: "Pass it on, or do not sign it."
    case .headerChanged: "Send exactly the value that was signed, or do not sign it."
    case .additionalHeaders: "List each once, in lower case, sorted, and send all of them."
    case .signedListMismatch: "List exactly what is sent; keep proxies from adding or dropping any of them."
    case .unsignedField: "Sign it, or do not send it."
    case .payloadHash: "Compute the hash from the bytes that are sent, before signing."
    case .tokenUnsigned: "Set the token before signing, under the name that the scheme requires."
    case .otherDifference: "Send the request exactly as it was signed."
    case .wrongSecret: "Check the secret, and that it is the one of this access key id."
    case .unknown:
      "Only the key can tell: run storage-auth explain where its default sources have the key, or compare with the "
        + "string to sign of the signing program."
    case .hiddenDifference: "Use the id, the secret and the token of one response of the token service."
    case .unknownKeyID: "Check the access key id, and that it is enabled."
    case .tokenMissing: "Pass the session token together with the id and the secret."
    case .tokenOfAnotherKey: "Use the id, the secret and the token of one response, and replace all three at once."
    case .tokenExpired: "Fetch a new one before the old one expires."
    case .clockSkew: "Set it, or sign with the time of the service's Date header."
    case .expired: "Create a new one; if the service refuses that too, set the clock."
    case .notYetValid: "Set it, or use the start time from the token server."
    case .wrongDay: "Use the day of the time of signing, in UTC."
    case .dateMissing: "Send the date in the service's own header."
    case .wrongRegion: "Sign for the region of the bucket."
    case .wrongService: "Use the service's name for scopes."
    case .wrongVersion: "Sign with the version that the bucket accepts."
    case .multipleSignatures: "Send a presigned URL without Authorization."
    case .unsigned: "Sign the request."
    case .malformedAuthorization: "Sign with a current SDK and pass it on unchanged."
    case .accessDenied:
      "Request only what the policy allows, or grant the permission in the policies of the session, of its role and of the bucket."
    case .unexplained: "Send the same request as a GET to learn the reason."
    }
  }
}
