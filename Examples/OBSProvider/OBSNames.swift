// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
public import StorageAuth

extension SignatureScheme {
  /// The only signature version of OBS, which uses HMAC-SHA-1.
  public static let obs = SignatureScheme(service: "obs", version: "v1")
}

/// A namespace for the header and parameter names in OBS signatures.
enum OBSName {
  /// The prefix of the service's own header and parameter names.
  static let prefix = "x-obs-"
  static let token: ByteExactString = "x-obs-security-token"
  static let id: ByteExactString = "AccessKeyId"
  static let signature: ByteExactString = "Signature"
  static let expires: ByteExactString = "Expires"
  /// The name of a parameter that replaces `Expires` in a URL format that only the vendor's Go SDK creates.
  static let policy: ByteExactString = "Policy"

  /// The lowercase names of the parameters that contain a signature in a URL.
  static let authorization: Set<ByteExactString> = ["accesskeyid", "signature"]

  /// Returns whether the header with the given lowercase name is included in the signature.
  static func signsHeader(_ name: String) -> Bool {
    name == "content-type" || name == "content-md5" || isOwn(name)
  }

  /// Returns whether the header with the given lowercase name has the service's own prefix.
  static func isOwn(_ name: String) -> Bool { ByteExactString(name).starts(with: ByteExactString(prefix)) }
}

/// A namespace for header names, each of which is created once.
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

/// The query parameters that OBS calls sub-resources, which are the only parameters that the signature includes.
///
/// Source: Huawei Cloud, "Authentication of Signature in a Header", the table of sub-resources. The vendor's SDKs also
/// sign every parameter that starts with `x-obs-`.
struct OBSSubresources: Sendable {
  private let names: Set<ByteExactString>

  /// Creates the set of documented sub-resources, with additional names from the application.
  init(adding names: Set<String> = []) {
    self.names = Self.documented.union(names.map { ByteExactString($0) })
  }

  /// Returns whether the parameter with the given decoded name is included in the signature.
  ///
  /// - Throws: A `SigningError` if it is unknown whether the parameter is signed, because the service, its
  ///   documentation and its SDKs disagree on the name or on its case.
  func signs(_ name: ByteExactString) throws(SigningError) -> Bool {
    if contains(name) { return true }
    let lowered = name.asciiLowercased
    guard !Self.lowered.contains(lowered), !lowered.starts(with: ByteExactString(OBSName.prefix)) else {
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

  /// Returns whether a parameter is a known sub-resource or has the service's prefix.
  func contains(_ name: ByteExactString) -> Bool {
    names.contains(name) || name.starts(with: ByteExactString(OBSName.prefix))
  }

  private static let documented = Set(
    """
    CDNNotifyConfiguration acl append attname backtosource cors customdomain delete deletebucket directcoldaccess
    encryption inventory length lifecycle location logging metadata modify name notification object-lock partNumber
    policy position quota rename replication response-cache-control response-content-disposition
    response-content-encoding response-content-language response-content-type response-expires restore retention
    storageClass storageinfo storagePolicy tagging torrent truncate uploadId uploads versionId versioning versions
    website x-image-process x-image-save-bucket x-image-save-object
    """.split { $0 == " " || $0 == "\n" }.map { ByteExactString($0) })

  private static let lowered = Set(documented.map(\.asciiLowercased))

  /// The lowercase parameter names that only some of the documentation's lists, its samples and the SDKs contain.
  private static let undecided = Set(
    """
    requestpayment publicaccessblock bucketstatus policystatus x-oss-process dispolicy fileinterface obscompresspolicy
    obsworkflowtriggerpolicy obsbucketalias obsalias ignore-sign-in-query mirrorbacktosource orchestration select
    """.split { $0 == " " || $0 == "\n" }.map { ByteExactString($0) })
}
