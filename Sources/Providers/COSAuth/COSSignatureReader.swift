// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
public import StorageAuth
internal import StorageCrypto
public import StorageDiagnosis

extension SignedService {
  /// Returns Tencent Cloud COS as the service for which requests are signed.
  ///
  /// - Parameter style: The position of the bucket name in the URL, or `nil` to derive the position from the host.
  public static func cos(style: AddressingStyle? = nil) -> SignedService {
    SignedService(COSSignatureReader(style: style))
  }
}

/// A reader of the signatures of COS requests, for the diagnosis of a mismatch.
struct COSSignatureReader: SignatureReader {
  let style: AddressingStyle?
  let signatureParameters: Set = ["q-signature", "sign"]
  let signsWindow = true
  let endsTextsWithLineFeed = true
  var errorCodes: ServiceErrorCodes { ServiceDescription.cos.errorCodes }

  func signature(of request: HTTPRequest) throws(VerificationError) -> SignatureReading? {
    let verifier = COSVerifier(style: style)
    guard let claim = try verifier.claim(in: request) else { return nil }
    let unsignedHeaders = request.headerFields.map(\.name.canonicalName).filter { !claim.signedHeaders.contains($0) }
    let parameters = request.parameterNames.map(\.asciiLowercased)
    let unsignedParameters = parameters.filter { !claim.listedParameters.contains($0) }
    let unsignedParts = unsignedHeaders.map { SignedPart.header($0) } + unsignedParameters.map { .parameter($0) }
    do throws(SigningError) {
      return SignatureReading(
        accessKeyID: claim.accessKeyID, hasToken: claim.sessionToken != nil, signedAt: claim.window.start,
        expiration: claim.window.end, unsignedParts: unsignedParts.filter(\.hasEffectInCOS),
        texts: try verifier.signedTexts(of: claim))
    } catch { throw VerificationError(error) }
  }

  /// Returns `true` if the ID is longer than 40 bytes, as only those of temporary keys are, and otherwise `nil`.
  func isTemporary(_ id: AccessKeyID) -> Bool? { id.utf8.count > Self.permanentIDByteLimit ? true : nil }
  /// The maximum length of a permanent key's ID, which has 36 characters today, with a margin.
  private static let permanentIDByteLimit = 40

  func parts(ofStringToSign text: String, for request: HTTPRequest) -> SignedParts? {
    let lines = text.lines
    guard lines.count >= 3, lines[0] == "sha1" else { return nil }
    var parts = SignedParts()
    parts.add(.algorithm, lines[0])
    parts.add(.window, lines[1])
    parts.add(.requestHash, lines[2])
    return parts
  }

  /// Parses an HTTP string; its path can contain line feeds, of which copies easily lose those at the end.
  func parts(ofCanonicalRequest text: String, for request: HTTPRequest) -> SignedParts? {
    var lines = text.lines
    guard lines.count >= 2 else { return nil }
    if lines.count > 4, lines[lines.count - 1].isEmpty { lines.removeLast() }
    // The lines are the method, the path, and the parameters and the headers, both encoded.
    let pathLineCount = 1 + (request.decodedPath ?? "").occurrences(of: "\n")
    while lines.count < 1 + pathLineCount + 2 { lines.append("") }
    let parameterLine = lines.count - 2
    var parts = SignedParts()
    parts.add(.method, lines[0])
    parts.add(.path, lines[1..<parameterLine].joined(separator: "\n"))
    parts.add(query: lines[parameterLine])
    for item in lines[parameterLine + 1].split(at: "&") where !item.isEmpty {
      let (name, value) = item.splitOnce(at: "=")
      parts.add(.header((name.percentDecoded() ?? name).asciiLowercased), value ?? "")
    }
    return parts
  }

  func hash(ofCanonicalRequest text: String) -> String? { SHA1.hash(Array(text.utf8)).hex }

  func kind(ofCopiedText lines: [String]) -> CopiedTextKind? {
    if lines[0] == "sha1" { return .stringToSign }
    let methods = ["get", "put", "post", "head", "delete", "options"]
    return methods.contains(lines[0]) && lines[1].hasBytePrefix("/") ? .canonicalRequest : nil
  }
}

extension SignedPart {
  fileprivate var hasEffectInCOS: Bool {
    switch self {
    case .header(let name), .parameter(let name):
      ["x-cos-", "x-ci-"].contains { name.hasBytePrefix($0) } || self == .header("pic-operations")
    default: false
    }
  }
}
