public import StorageAuth

/// What a request says about its OSS signature.
public struct OSSClaim: SignatureClaim {
  /// The id of the key that it says it was signed with.
  public let accessKeyID: AccessKeyID

  /// The session token that came along.
  public let sessionToken: Secret?

  /// The version of the signature.
  public var version: OSSSignatureVersion {
    switch scheme {
    case .v1: .v1
    case .v4: .v4
    }
  }

  /// Where the signature is.
  public let placement: VerifiedRequest.Placement

  let signature: String
  let scheme: Scheme
  var target: RequestTarget

  /// When it was signed; for a URL of V1, when it ends.
  var instant: Timestamp {
    switch scheme {
    case .v1(let scheme): scheme.instant
    case .v4(let scheme): scheme.date
    }
  }

  enum Scheme {
    case v1(V1)
    case v4(V4)
  }

  /// A V1 signature: the fourth line, and the instant that it stands for: the date of a request or the end of a URL.
  struct V1 {
    let line: String
    let instant: Timestamp
  }

  /// A V4 signature: its scope, when it was made, and for how long, in a URL.
  ///
  /// A request in whose headers only `Date` states the time has the text of that header in its string to sign.
  struct V4 {
    let day: String
    let region: String
    let product: String
    let date: Timestamp
    let lifetime: Int64?
    let additionalHeaders: [String]
    var httpDate: String?

    /// The second lines that the string to sign may have, the one that the vendor's SDKs sign first: the text of `Date`
    /// (Go SDK v1, `oss/auth.go`) or the same instant in ISO 8601, as the documentation of the string has it.
    var dateLines: [String] { [httpDate, date.iso8601Basic].compactMap { $0 } }
  }
}
