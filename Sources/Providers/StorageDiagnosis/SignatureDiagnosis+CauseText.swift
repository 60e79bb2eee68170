// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

extension SignatureDiagnosis.Cause {
  /// A description of what usually leads to this cause, and how to fix it.
  var text: (usual: String, remedy: String) {
    switch self {
    case .contentTypeAdded:
      (
        "The HTTP stack added its own Content-Type after the request was signed; browsers and many libraries do.",
        "Set the Content-Type before signing, and sign it; for a URL, set it when the URL is created."
      )
    case .contentTypeChanged:
      (
        "The HTTP stack or a proxy changed the Content-Type, often by adding a charset.",
        "Send exactly the Content-Type that was signed."
      )
    case .contentMD5Changed:
      (
        "The Content-MD5 was set, changed or dropped after signing.",
        "Compute it before signing and send it unchanged; or leave it out."
      )
    case .dateChanged:
      (
        "The HTTP stack or a proxy set its own date after signing.",
        "Send the date that was signed."
      )
    case .methodChanged:
      (
        "A URL that was presigned for one method is valid for no other; a proxy, a cache or a redirect can also send a "
          + "HEAD as a GET, or a PUT as a POST.",
        "Sign the method that reaches the service, and follow no redirect with the old signature."
      )
    case .plusForSpace:
      (
        "One side encoded a space as + and the other read the + as a plus sign, or the reverse.",
        "Encode a space as %20 and a plus sign as %2B, in the path and in the query."
      )
    case .encodedTwice:
      (
        "The HTTP library or a proxy percent-encoded a value that was encoded already.",
        "Pass the URL on in its encoded form, and do not encode it again."
      )
    case .decodedTwice:
      (
        "A proxy or a framework decoded the URL and sent it on without its escapes.",
        "Pass the request target on byte for byte; in nginx, proxy_pass without a path."
      )
    case .escapeSpelling:
      (
        "The same bytes are percent-encoded in another form: with hexadecimal digits in lower case, or with other characters escaped.",
        "Encode as RFC 3986 does, with upper-case digits, leaving letters, digits, - . _ and ~ alone."
      )
    case .unicodeForm:
      (
        "The strings look the same, but accented characters are in another Unicode form, as in many file names of macOS.",
        "Normalize names once, before signing, and use that form everywhere."
      )
    case .pathPrefixAdded:
      (
        "A proxy put its own prefix in front of the path.",
        "Let the proxy strip the prefix before it passes the request on."
      )
    case .pathPrefixRemoved:
      (
        "A proxy removed a prefix from the path, or the client signed a path with the prefix of the proxy.",
        "Sign the path as the service sees it, or let the proxy pass it on unchanged."
      )
    case .slashesMerged:
      (
        "A proxy or a library merged two slashes into one.",
        "Disable merging (in nginx, merge_slashes off), or use keys without //."
      )
    case .dotsResolved:
      (
        "A proxy or a library resolved . and .. in the path.",
        "Pass the path on unchanged (with curl, --path-as-is), or use keys without such parts."
      )
    case .pathChanged: ("A proxy rewrote the path.", "Pass the path on byte for byte.")
    case .wrongBucket:
      (
        "The host stands for another bucket than the one that was signed; with a custom domain only the signer knows the bucket.",
        "Name the bucket that the domain is bound to when the signer is created."
      )
    case .bucketTwice:
      (
        "The URL contains the bucket in its path, and the signer was told the bucket as for a custom domain.",
        "Create the signer for the bucket in the path, without naming the bucket, or leave the bucket out of the path."
      )
    case .bucketMissing:
      (
        "The signature covers the bucket even if the URL does not show it, as with a custom domain.",
        "Name the bucket when the signer is created: /bucket/key is signed."
      )
    case .hostPort:
      (
        "The Host header was sent with a port and signed without, or a proxy listens on another port.",
        "Sign the Host header as it is sent, with its port unless that is the default one."
      )
    case .hostChanged:
      (
        "A proxy, a CDN or a custom domain sends another Host header than the one that was signed.",
        "Pass the Host header on, or sign the host that the service sees, or leave it out of the signed headers."
      )
    case .subresourceUnsigned:
      (
        "The service signs this query parameter, and the signer left it out.",
        "Add it to the parameters that are signed, or use a current SDK."
      )
    case .parameterAdded:
      (
        "The client, a proxy or a CDN added a query parameter after signing.",
        "Add it before signing, or remove it before the request reaches the service."
      )
    case .parameterRemoved:
      (
        "A proxy, a CDN or a shell dropped a query parameter; an unquoted & ends a URL in a shell.",
        "Pass the query on unchanged, and put URLs in quotes."
      )
    case .parameterChanged: ("A proxy or an app rewrote the query.", "Pass the query on byte for byte.")
    case .headerAdded:
      (
        "A header that the service includes in the signature was added after signing, by a proxy or by the app.",
        "Set it before signing."
      )
    case .headerRemoved: ("A proxy or the HTTP stack dropped a signed header.", "Pass it on, or do not sign it.")
    case .headerChanged:
      (
        "A proxy or the HTTP stack changed a signed header.",
        "Send exactly the value that was signed, or do not sign it."
      )
    case .additionalHeaders:
      (
        "The list of additional headers is not the one of the authorization, or a listed header is missing.",
        "List each once, in lower case, sorted, and send all of them."
      )
    case .signedListMismatch:
      (
        "The authorization lists a header or parameter that did not arrive, or arrived more than once.",
        "List exactly what is sent; keep proxies from adding or dropping any of them."
      )
    case .unsignedField:
      (
        "A header or parameter that has an effect was added after signing, or the signer did not list it.",
        "Sign it, or do not send it."
      )
    case .payloadHash:
      (
        "The signed hash is not that of the body that arrived.",
        "Compute the hash from the bytes that are sent, before signing."
      )
    case .tokenUnsigned:
      (
        "The session token was added after signing, although the signature covers it.",
        "Set the token before signing, under the name that the scheme requires."
      )
    case .otherDifference: ("A proxy or a library rewrote the request.", "Send the request exactly as it was signed.")
    case .wrongSecret:
      (
        "The secret does not belong to the access key id; an extra space or line break is enough.",
        "Check the secret, and that it is the one of this access key id."
      )
    case .unknown:
      (
        "Either the secret is wrong, or something else was signed than was sent: another method, path, parameter or "
          + "header.",
        "Only the key can tell: run storage-auth explain where its default sources have the key, or compare with the "
          + "string to sign of the signing program."
      )
    case .hiddenDifference:
      (
        "The difference is in a value that is masked or missing in the response, usually the session token.",
        "Use the id, the secret and the token of one response of the token service."
      )
    case .unknownKeyID:
      (
        "The id is misspelt, disabled or of another provider; the service forgets a temporary key some time after its expiration.",
        "Check the access key id, and that it is enabled."
      )
    case .tokenMissing:
      (
        "A temporary key was used without its session token; the service then does not know the id.",
        "Pass the session token together with the id and the secret."
      )
    case .tokenOfAnotherKey:
      (
        "The id and the token come from two responses of the token service, or a permanent key was used with a token.",
        "Use the id, the secret and the token of one response, and replace all three at once."
      )
    case .tokenExpired: ("The temporary key has expired.", "Fetch a new one before the old one expires.")
    case .clockSkew:
      ("The clock of the signing machine is wrong.", "Set it, or sign with the time of the service's Date header.")
    case .expired:
      (
        "The signature was used too late, or the clock of the signing machine is slow.",
        "Create a new one; if the service refuses that too, set the clock."
      )
    case .notYetValid:
      (
        "The clock of the signing machine is fast.", "Set it, or use the start time from the token server."
      )
    case .wrongDay:
      (
        "The day is in local time, or was computed once and reused after midnight.",
        "Use the day of the time of signing, in UTC."
      )
    case .dateMissing:
      (
        "The HTTP stack or a proxy dropped the Date header, or changed its format.",
        "Send the date in the service's own header."
      )
    case .wrongRegion:
      (
        "The region in the signature is not that of the bucket, or is misspelt.", "Sign for the region of the bucket."
      )
    case .wrongProduct:
      ("The product in the scope is not that of the service.", "Use the service's name for scopes.")
    case .wrongVersion:
      (
        "The service requires another signature version.",
        "Sign with the version that the bucket accepts."
      )
    case .signatureTwice:
      (
        "A presigned URL was sent by a client that signs its requests as well.",
        "Send a presigned URL without Authorization."
      )
    case .unsigned:
      ("No key was configured, or a redirect or a proxy dropped the Authorization header.", "Sign the request.")
    case .malformedAuthorization:
      ("The authorization was composed or changed by hand.", "Sign with a current SDK and pass it on unchanged.")
    case .accessDenied:
      (
        "The signature is right; a policy or an ACL does not allow the operation.",
        "Request only what the policy allows, or grant the permission in the policies of the session, of its role and of the bucket."
      )
    case .unexplained:
      (
        "Responses to HEAD have no body, and some proxies drop the body.",
        "Send the same request as a GET to learn the reason."
      )
    }
  }
}
