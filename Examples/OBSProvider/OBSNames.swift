import HTTPTypes
public import StorageAuth

extension SignatureScheme {
  /// OBS with HMAC-SHA-1, the only version of its own signature.
  public static let obs = SignatureScheme(service: "obs", version: "v1")
}

/// The names that the signature of OBS knows.
enum OBSName {
  /// The beginning of the service's own headers and parameters.
  static let prefix = "x-obs-"
  static let token: WireText = "x-obs-security-token"
  static let id: WireText = "AccessKeyId"
  static let signature: WireText = "Signature"
  static let expires: WireText = "Expires"
  /// Stands in the place of `Expires` in a form of URLs that only the vendor's Go SDK makes.
  static let policy: WireText = "Policy"

  /// The parameters that carry a signature in a URL, in lower case.
  static let authorization: Set<WireText> = ["accesskeyid", "signature"]

  /// Returns whether the signature covers a header; its name is in lower case.
  static func signsHeader(_ name: String) -> Bool {
    name == "content-type" || name == "content-md5" || isOwn(name)
  }

  /// Returns whether a header is one of the service's own; its name is in lower case.
  static func isOwn(_ name: String) -> Bool { WireText(name).starts(with: WireText(prefix)) }
}

/// The names of headers, each made once.
enum OBSField {
  static let date = field("x-obs-date")
  static let token = field("x-obs-security-token")
  static let contentSHA256 = field("x-obs-content-sha256")
  static let contentMD5 = field("Content-MD5")

  static func field(_ name: StaticString) -> HTTPField.Name {
    guard let name = HTTPField.Name(name.description) else { preconditionFailure("no name of a header") }
    return name
  }
}

/// The query parameters that OBS calls sub-resources: the signature covers them, and no others.
///
/// Source: "Authentication of Signature in a Header", the table of sub-resources; the SDKs of the vendor sign every
/// parameter that starts with `x-obs-` as well.
struct OBSSubresources: Sendable {
  private let names: Set<WireText>

  /// Creates the list with names that an application adds.
  init(adding names: Set<String> = []) {
    self.names = Self.documented.union(names.map { WireText($0) })
  }

  /// Returns whether a parameter is signed; its name is decoded.
  ///
  /// - Throws: A `SigningError` if it is not known: the service, its documentation and its SDKs do not agree on the name,
  ///   or on its case.
  func signs(_ name: WireText) throws(SigningError) -> Bool {
    if contains(name) { return true }
    let lowered = name.asciiLowercased
    guard !Self.lowered.contains(lowered), !lowered.starts(with: WireText(OBSName.prefix)) else {
      throw SigningError(
        .invalidPath, "The parameter \"\(name.string)\" is not in the case that OBS gives its name.",
        remedy: "Spell the names of parameters as the documentation does.")
    }
    guard !Self.undecided.contains(lowered), !lowered.starts(with: "x-workflow-") else {
      throw SigningError(
        .invalidPath, "The documentation and the SDKs of OBS do not agree on whether \"\(name.string)\" is signed.",
        remedy: "Name it among the additional sub-resources if the service signs it.")
    }
    return false
  }

  /// Returns whether a parameter is signed, for one that is known.
  func contains(_ name: WireText) -> Bool {
    names.contains(name) || name.starts(with: WireText(OBSName.prefix))
  }

  private static let documented = Set(
    """
    CDNNotifyConfiguration acl append attname backtosource cors customdomain delete deletebucket directcoldaccess
    encryption inventory length lifecycle location logging metadata modify name notification object-lock partNumber
    policy position quota rename replication response-cache-control response-content-disposition
    response-content-encoding response-content-language response-content-type response-expires restore retention
    storageClass storageinfo storagePolicy tagging torrent truncate uploadId uploads versionId versioning versions
    website x-image-process x-image-save-bucket x-image-save-object
    """.split { $0 == " " || $0 == "\n" }.map { WireText($0) })

  private static let lowered = Set(documented.map(\.asciiLowercased))

  /// Names, in lower case, that only some of the documentation's lists and samples and of the SDKs have.
  private static let undecided = Set(
    """
    requestpayment publicaccessblock bucketstatus policystatus x-oss-process dispolicy fileinterface obscompresspolicy
    obsworkflowtriggerpolicy obsbucketalias obsalias ignore-sign-in-query mirrorbacktosource orchestration select
    """.split { $0 == " " || $0 == "\n" }.map { WireText($0) })
}
