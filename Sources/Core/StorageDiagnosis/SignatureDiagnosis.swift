// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
internal import StorageAuth

/// An explanation of why a service rejected a signature.
///
/// The diagnosis compares the client's string to sign with the string that the service shows, line by line, and
/// describes the usual reason for each difference. Session tokens and signatures are masked in all of its properties.
///
/// ```swift
/// let diagnosis = SignatureDiagnosis(of: RejectedResponse(body), to: request, signedFor: .oss(bucket: "photos"))
/// print(diagnosis)
/// ```
public struct SignatureDiagnosis: Sendable, Hashable {
  /// The cause of the signature's rejection.
  public let cause: Cause

  /// The name of the line that differs, such as `query parameter acl`, or `nil` if the cause does not concern a line.
  public let line: String?

  /// The value of the differing line in the sent request, or `nil` if the line was absent.
  public let sent: String?

  /// The value of the differing line that the service received, or `nil` if it was absent or is not shown.
  public let seen: String?

  /// A description of the difference and its usual reason, in complete sentences.
  public let explanation: String

  /// A description of how to fix the cause, in a complete sentence.
  public let remedy: String

  /// The names of other lines that differ, often as a consequence of the first difference.
  public let otherLines: [String]

  /// The words for a wrong secret, if the strings to sign are equal but it is not known that the client signed its own.
  private let secretWords: [String]

  /// Creates a diagnosis of a rejected request, or returns `nil` if its sender and signature are not the reason.
  ///
  /// - Parameters:
  ///   - rejected: The response of the service.
  ///   - request: The request as the client sent it, with its authorization.
  ///   - service: The service for which the request was signed.
  ///   - stringToSign: The string that the client signed, or `nil` to derive the string from the request. Only with this
  ///     string can the cause be ``Cause/wrongSecret``.
  ///   - canonicalRequest: The client's canonical request, or `nil` to derive it, or if the scheme has none.
  public init?(
    of rejected: RejectedResponse, to request: HTTPRequest, signedFor service: SignedService,
    stringToSign: String? = nil, canonicalRequest: String? = nil
  ) {
    let reading = rejected.reading(by: service.reader)
    let sent = SentRequest(request, service.reader, stringToSign: stringToSign, canonicalRequest: canonicalRequest)
    guard let diagnosis = SignatureDiagnosis(of: reading, sent) else { return nil }
    self = stringToSign == nil ? diagnosis : diagnosis.whenSignedAsSent
  }

  init?(of reading: RejectedResponse.Reading, _ sent: SentRequest) {
    guard reading.concernsAuthorization(sent.reader.meanings),
      let finding = SignatureComparison(response: reading, sent: sent).finding
    else { return nil }
    self.init(finding, by: sent.reader, masking: SecretMask(sent.tokens))
  }

  /// Creates the sentences for a finding, with session tokens masked; values of secret lines already are.
  private init(_ finding: SignatureFinding, by reader: some SignatureReader, masking mask: SecretMask) {
    func masked(_ text: String) -> String { mask.applied(to: text) }
    func sentences(for cause: Cause) -> [String] {
      let words = reader.advice(for: cause) ?? cause.text
      return [masked(finding.detail.isEmpty ? words.usual : "\(finding.detail) \(words.usual)"), words.remedy]
    }
    let words = sentences(for: finding.cause)
    cause = finding.cause
    line = finding.line.map(masked)
    sent = finding.sent.map(masked)
    seen = finding.seen.map(masked)
    (explanation, remedy) = (words[0], words[1])
    otherLines = finding.otherLines.map(masked)
    secretWords = finding.stringsAreEqual ? sentences(for: .wrongSecret) : []
  }

  /// Creates a diagnosis that no line shows, such as one that was found with the key.
  init(_ cause: Cause, explanation: String, remedy: String) {
    self.cause = cause
    line = nil
    sent = nil
    seen = nil
    self.explanation = explanation
    self.remedy = remedy
    otherLines = []
    secretWords = []
  }

  /// The diagnosis for a client that is known to have signed exactly the request that it sent.
  ///
  /// If the service signed the same string, the cause is ``Cause/wrongSecret``. Without that knowledge it is
  /// ``Cause/unknown``: a presigned URL, for example, may have been signed for another method.
  package var whenSignedAsSent: SignatureDiagnosis {
    guard cause == .unknown, secretWords.count == 2 else { return self }
    return SignatureDiagnosis(.wrongSecret, explanation: secretWords[0], remedy: secretWords[1])
  }

  /// The name and the values of the differing line, if the diagnosis concerns a line, and the explanation.
  public var summary: String {
    guard let line else { return explanation }
    return "\(line): sent \(sent ?? "(none)"), seen \(seen ?? "(none)"). \(explanation)"
  }
}

extension SignatureDiagnosis: CustomStringConvertible {
  /// All properties of the diagnosis, each on its own line.
  public var description: String {
    var lines = ["cause   \(cause.rawValue)"]
    if let line {
      lines.append("line    \(line)")
      lines.append("sent    \(sent ?? "(none)")")
      lines.append("seen    \(seen ?? "(none)")")
    }
    lines += ["why     \(explanation)", "remedy  \(remedy)"]
    if !otherLines.isEmpty { lines.append("also    \(otherLines.joined(separator: ", "))") }
    return lines.joined(separator: "\n")
  }
}

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

extension SignatureDiagnosis.Cause {
  package var text: (usual: String, remedy: String) {
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
      ("The clock of the signing machine is fast.", "Set it, or use the start time from the token server.")
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
      ("The region in the signature is not that of the bucket, or is misspelt.", "Sign for the region of the bucket.")
    case .wrongProduct: ("The product in the scope is not that of the service.", "Use the service's name for scopes.")
    case .wrongVersion:
      ("The service requires another signature version.", "Sign with the version that the bucket accepts.")
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
