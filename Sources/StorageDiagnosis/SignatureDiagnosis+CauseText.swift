extension SignatureDiagnosis.Cause {
  /// What usually leads to it, and what to do about it.
  var text: (usual: String, remedy: String) {
    switch self {
    case .contentTypeAdded:
      (
        "The HTTP stack added a Content-Type of its own after the request was signed; browsers and many libraries do.",
        "Set the Content-Type before signing, and sign it; for a URL, give it when the URL is made."
      )
    case .contentTypeChanged:
      (
        "The HTTP stack or a proxy changed the Content-Type, often by adding a charset.",
        "Send exactly the Content-Type that was signed."
      )
    case .contentMD5Changed:
      (
        "The Content-MD5 was set, changed or dropped after signing.",
        "Compute it before signing and send it unchanged; or leave it out altogether."
      )
    case .dateChanged:
      (
        "The HTTP stack or a proxy set a date of its own after signing.",
        "Send the date that was signed."
      )
    case .methodChanged:
      (
        "A proxy, a cache or a redirect sent the request with another method; a HEAD often "
          + "becomes a GET, and a tunnel makes a POST of a PUT or DELETE.",
        "Sign the method that reaches the service, and follow no redirect with the old signature."
      )
    case .plusForSpace:
      (
        "One side wrote a space as + and the other read the + as itself, or the other way round.",
        "Write a space as %20 and a plus as %2B, in the path and in the query."
      )
    case .encodedTwice:
      (
        "What was percent-encoded already was encoded once more, by the HTTP library or a proxy.",
        "Hand the URL over as it is encoded, and let nothing encode it again."
      )
    case .decodedTwice:
      (
        "A proxy or a framework decoded the URL and sent it on without its escapes.",
        "Pass the request target on byte for byte; in nginx, proxy_pass without a path."
      )
    case .escapeSpelling:
      (
        "The same bytes are percent-encoded in another way: hexadecimal digits in lower case, or other characters.",
        "Encode as RFC 3986 does, with upper-case digits, leaving letters, digits, - . _ and ~ alone."
      )
    case .unicodeForm:
      (
        "The text looks the same, but accents are spelt in another Unicode form; file names of macOS often are.",
        "Normalize names once, before signing, and use that form everywhere."
      )
    case .pathPrefixAdded:
      (
        "A proxy put its own prefix in front of the path.",
        "Let the proxy strip the prefix before it passes the request on."
      )
    case .pathPrefixRemoved:
      (
        "A proxy took a prefix off the path, or the client signed a path with one that is the proxy's.",
        "Sign the path as the service sees it, or let the proxy pass it on whole."
      )
    case .slashesMerged:
      (
        "A proxy or a library made one slash of two.",
        "Switch merging off (in nginx, merge_slashes off), or use keys without //."
      )
    case .dotsResolved:
      (
        "A proxy or a library resolved . and .. in the path.",
        "Pass the path on as it is (with curl, --path-as-is), or use keys without such parts."
      )
    case .pathChanged: ("A proxy rewrote the path.", "Pass the path on byte for byte.")
    case .wrongBucket:
      (
        "The host stands for another bucket than the one that was signed; with a custom domain only the signer knows it.",
        "Name the bucket that the domain is bound to when the signer is made."
      )
    case .bucketMissing:
      (
        "The bucket is part of what is signed even where the URL does not show it, as with a custom domain.",
        "Name the bucket when the signer is made: /bucket/key is signed."
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
        "A proxy, a CDN or an app added a query parameter after signing.",
        "Add it before signing, or let it be removed before the service."
      )
    case .parameterRemoved:
      (
        "A proxy, a CDN or a shell dropped a query parameter; an unquoted & ends a URL in a shell.",
        "Pass the query on whole, and put URLs in quotes."
      )
    case .parameterChanged: ("A proxy or an app rewrote the query.", "Pass the query on byte for byte.")
    case .headerAdded:
      (
        "A header that the service takes part of the signature was added after signing, by a proxy or by the app.",
        "Set it before signing."
      )
    case .headerRemoved: ("A proxy or the HTTP stack dropped a signed header.", "Let it through, or do not sign it.")
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
        "List exactly what is sent; let proxies drop and add nothing."
      )
    case .unsignedField:
      (
        "A header or parameter that has an effect was added after signing, or the signer did not list it.",
        "Sign it, or do not send it."
      )
    case .payloadHash:
      (
        "The hash of the body that was signed is not the one of the body that arrived.",
        "Compute the hash from the bytes that are sent, before signing."
      )
    case .tokenUnsigned:
      (
        "The session token was added after signing; it is part of what is signed.",
        "Set the token before signing, under the name that the scheme signs."
      )
    case .otherDifference: ("Something on the way rewrote the request.", "Send what was signed, byte for byte.")
    case .wrongSecret:
      (
        "The secret is not that of the id (a blank or a line break too many is enough), or the program that signed signed "
          + "another text than this one.",
        "Check the secret; then compare the string to sign of the program that signed."
      )
    case .hiddenDifference:
      (
        "What is masked or lost in the answer differs: most often the session token.",
        "Use the id, the secret and the token of one answer of the token service."
      )
    case .unknownKeyID:
      (
        "The id is misspelt, disabled or of another provider; a temporary key is forgotten some time after its end.",
        "Check the access key id, and that it is enabled."
      )
    case .tokenMissing:
      (
        "A temporary key was used without its session token; the service then does not know the id.",
        "Give the session token along with the id and the secret."
      )
    case .tokenOfAnotherKey:
      (
        "The id and the token come from two answers of the token service, or a permanent key was given a token.",
        "Use the id, the secret and the token of one answer, and replace all three at once."
      )
    case .tokenExpired: ("The temporary key has ended.", "Get a new one before the old one ends.")
    case .clockSkew:
      ("The clock of the machine that signs is wrong.", "Set it, or sign with the time of the service's Date header.")
    case .expired:
      (
        "It was used too late, or the clock of the machine that signed is slow.",
        "Make a new one; if that is refused too, set the clock."
      )
    case .notYetValid:
      (
        "The clock of the machine that signed is fast.", "Set it, or take the start time that the token server gives."
      )
    case .wrongDay:
      (
        "The day was taken in local time, or once and kept past midnight.",
        "Use the day of the time of signing, in UTC."
      )
    case .dateMissing:
      (
        "The HTTP stack or a proxy dropped the Date header, or wrote it in another form.",
        "Send the date in the service's own header."
      )
    case .wrongRegion:
      (
        "The region in the signature is not that of the bucket, or is misspelt.", "Sign for the region of the bucket."
      )
    case .wrongProduct:
      ("The product in the scope is not that of the service.", "Use the name that the service has in scopes.")
    case .wrongVersion:
      (
        "The service reads another version of the signature.",
        "Sign with the version that the bucket takes."
      )
    case .signatureTwice:
      (
        "A presigned URL was sent by a client that signs its requests as well.",
        "Send a presigned URL without Authorization."
      )
    case .unsigned:
      ("No key was configured, or a redirect or a proxy dropped the Authorization header.", "Sign the request.")
    case .malformedAuthorization:
      ("The authorization was put together or changed by hand.", "Sign with a current SDK and pass it on unchanged.")
    case .accessDenied:
      (
        "The signature is right; a policy or an ACL does not allow the operation.",
        "Ask for what the policy allows, or give the key the permission: in the policy of the session, of the role that it is of, and of the bucket."
      )
    case .unexplained:
      (
        "Answers to HEAD have no body, and some proxies drop it.", "Send the same as a GET to learn the reason."
      )
    }
  }
}
