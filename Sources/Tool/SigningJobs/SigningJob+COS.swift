// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import COSAuth
package import HTTPTypes
internal import StorageAuth

extension SigningJob {
  /// Signs the request, whose host can be a placeholder if the signature does not cover it.
  func signCOS(_ mode: Mode, _ accessKey: AccessKey, _ context: SigningContext) throws -> SignedLine {
    guard let host else { throw SigningJobError(message: "The line has no host.") }
    guard host != Self.hostPlaceholder || signedHeaders?.signHost != false else {
      // The signer requires a well-formed host, which the placeholder is not.
      var line = try signCOS(mode, accessKey, context, at: Self.substituteHost)
      line.url = line.url?.replacing(Self.substituteHost, with: Self.hostPlaceholder)
      return line
    }
    return try signCOS(mode, accessKey, context, at: host)
  }

  /// The placeholder for a host that is not signed, which remains in the URL of the result.
  private static let hostPlaceholder = "{host}"

  /// A name that belongs to no host (RFC 6761, section 6.4).
  private static let substituteHost = "host.invalid"

  private func signCOS(
    _ mode: Mode, _ accessKey: AccessKey, _ context: SigningContext, at host: String
  ) throws -> SignedLine {
    let (request, signer) = try requestForCOS(host: host)
    guard let keyTime else { return try sign(request, with: signer, mode, accessKey, context) }
    guard let window = COSKeyTime(keyTime) else {
      throw SigningJobError(message: "The key time is not two times in seconds, separated by a semicolon.")
    }
    let identity = Identity(
      id: accessKey.id, sessionToken: accessKey.sessionToken, start: window.start, expiration: window.end)
    switch mode {
    case .header:
      var signed = request
      try signer.sign(&signed, with: accessKey, during: window)
      return SignedLine(signed, try signer.prepare(request, as: identity, in: context))
    case .presign:
      let signed = try signer.presign(request, with: accessKey, during: window)
      let pending = try signer.prepare(
        presigning: request, as: identity, validFor: window.start.duration(to: window.end), in: .at(window.start))
      return SignedLine(signed, pending)
    }
  }

  /// Returns the unsigned request of the line to a host, and the signer that the line describes.
  package func requestForCOS(host: String) throws -> (request: HTTPRequest, signer: COSSigner) {
    var policy = COSHeaderPolicy.standard
    if let names = signedHeaders?.list {
      policy = .only(Set(names))
    } else if signedHeaders?.signHost == false {
      policy = .standardWithoutHost
    }
    let signer = COSSigner(policy: policy, urlForm: form == "sign=" ? .sign : .parameters)
    let objectKey = path.map { String($0.removingBytePrefix("/") ?? $0[...]) } ?? ""
    return (try request(authority: host, key: objectKey), signer)
  }
}
