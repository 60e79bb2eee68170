// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import CredentialSources
public import Hummingbird
internal import OSSAuth
internal import StorageCrypto

/// A verifier of the callbacks that OSS sends after an upload.
///
/// OSS signs a callback with an RSA key, and names the URL of the public key in a header. The verifier accepts only
/// URLs on the vendor's host. It fetches a key over TLS when a callback first names it, and keeps it while there is
/// space. Sizes and counts are bounded before work is done.
///
/// A valid signature proves that OSS sent the request, but not that the upload was one to the app's bucket: any user of
/// OSS can make it send any body to any URL. The signature covers no time, so a request may be repeated. A handler must
/// therefore look the object up in the app's bucket, or compare a variable with a value that the app gave to this
/// uploader only. The same callback must do no harm if it arrives twice.
///
/// ```swift
/// let verifier = CallbackVerifier(transport: .platformDefault)
/// router.group("uploaded").add(middleware: CallbackMiddleware(verifier)).post { request, context in
///   guard context.callback?.value(of: "bucket") == "photos" else { throw HTTPError(.forbidden) }
///   return HTTPResponse.Status.ok
/// }
/// ```
///
/// The vendor's page is "Callback", <https://www.alibabacloud.com/help/en/oss/developer-reference/callback>.
public final class CallbackVerifier: Sendable {
  /// The hosts on which Alibaba Cloud publishes the keys of OSS.
  public static let vendorKeyHosts: Set<String> = ["gosspublic.alicdn.com"]

  private static let targetByteLimit = 8 * 1024
  /// The maximum size, in bytes, of the headers `Authorization` and `x-oss-pub-key-url`.
  private static let headerByteLimit = 1024
  /// The sizes, in bytes, of signatures by keys of 512 to 4,096 bits.
  private static let signatureByteCounts = 64...512
  private static let keyPathByteCounts = 2...128

  /// The maximum size of a callback's body in bytes.
  public let bodyLimit: Int
  private let keyHosts: Set<String>
  private let keys: CallbackKeys

  /// Creates a verifier of callbacks.
  ///
  /// - Parameters:
  ///   - keyHosts: The hosts, each with its port if it is not the default, from which public keys are accepted. Add a
  ///     host only for tests, such as that of LocalCloud.
  ///   - bodyLimit: The maximum size of a callback's body in bytes.
  ///   - transport: The transport that fetches public keys.
  ///   - time: The clocks of the verifier.
  public init(
    keyHosts: Set<String> = CallbackVerifier.vendorKeyHosts, bodyLimit: Int = 64 * 1024,
    transport: any HTTPTransport, time: any SigningClock = .system
  ) {
    self.keyHosts = keyHosts
    self.bodyLimit = bodyLimit
    keys = CallbackKeys(transport: transport, time: time)
  }

  /// Verifies a callback.
  ///
  /// The order is: the method, the target and the headers; the URL of the key; the body's size; the key; the signature.
  ///
  /// - Parameters:
  ///   - request: The head of the request, with the path and the query as OSS sent them; a proxy must not change them.
  ///   - body: The body of the request.
  /// - Returns: The verified callback.
  /// - Throws: A ``CallbackRefusal`` that names the reason.
  public func verify(_ request: HTTPRequest, body: [UInt8]) async throws(CallbackRefusal) -> VerifiedCallback {
    let claim = try claim(in: request)
    return try await verify(claim, body: body)
  }

  /// The parts of a request that are checked before the body is read.
  struct Claim {
    let target: String
    let signature: [UInt8]
    let keyURL: ServiceURL
  }

  /// Checks all of a request but its body and its signature.
  func claim(in request: HTTPRequest) throws(CallbackRefusal) -> Claim {
    guard request.method == .post else { throw CallbackRefusal(.method, "A callback is a POST request.") }
    let target = request.path ?? ""
    guard target.utf8.count <= Self.targetByteLimit, CallbackMessage.bytes(target: target, body: []) != nil else {
      throw CallbackRefusal(
        .target, "The path or the query is too long, or contains an escape that makes it ambiguous.")
    }
    let signature = try decodedHeader(.authorization, named: "authorization", in: request)
    guard Self.signatureByteCounts.contains(signature.count) else {
      throw CallbackRefusal(
        .malformedHeader, "The header authorization decodes to \(signature.count) bytes; a signature has 64 to 512.")
    }
    let location = try decodedHeader(.ossPublicKeyURL, named: HTTPField.Name.ossPublicKeyURL.canonicalName, in: request)
    return Claim(
      target: target, signature: signature, keyURL: try acceptedKeyURL(String(decoding: location, as: UTF8.self)))
  }

  func verify(_ claim: Claim, body: [UInt8]) async throws(CallbackRefusal) -> VerifiedCallback {
    try requireBodySize(body.count)
    let key = try await keys.key(at: claim.keyURL)
    guard let message = CallbackMessage.bytes(target: claim.target, body: body),
      key.verify(claim.signature, of: message, with: .rsaPKCS1MD5)
    else {
      throw CallbackRefusal(.mismatch, "The signature does not belong to this path, query and body, or to this key.")
    }
    return VerifiedCallback(target: claim.target, body: body)
  }

  func requireBodySize(_ byteCount: Int) throws(CallbackRefusal) {
    guard byteCount <= bodyLimit else { throw bodyTooLarge }
  }

  var bodyTooLarge: CallbackRefusal { CallbackRefusal(.bodyTooLarge, "The body has more than \(bodyLimit) bytes.") }

  /// Returns the bytes of a header that must occur exactly once, in Base64.
  private func decodedHeader(
    _ name: HTTPField.Name, named displayedName: String, in request: HTTPRequest
  ) throws(CallbackRefusal) -> [UInt8] {
    let values = request.headerFields[values: name]
    guard let value = values.first, values.count == 1, !value.isEmpty else {
      throw CallbackRefusal(.missingHeader, "The header \(displayedName) is missing, or there is more than one.")
    }
    guard value.utf8.count <= Self.headerByteLimit, let bytes = [UInt8](base64: value) else {
      throw CallbackRefusal(.malformedHeader, "The header \(displayedName) is not Base64, or is too long.")
    }
    return bytes
  }

  /// Returns the URL of a public key, which must be the path of a file on one of the accepted hosts.
  private func acceptedKeyURL(_ text: String) throws(CallbackRefusal) -> ServiceURL {
    let urlWithoutScheme = text.removingBytePrefix("https://") ?? text.removingBytePrefix("http://")
    let host = urlWithoutScheme?.bytes(before: "/") ?? ""
    let authority = String(host)
    // OSS may name the key with the scheme `http`; from another machine it is fetched over TLS nevertheless.
    guard let urlWithoutScheme, keyHosts.contains(where: { $0.isIdentical(to: authority) }),
      Self.isFilePath(urlWithoutScheme[host.endIndex...].utf8),
      let url = ServiceURL(LoopbackHost.isNamed(by: authority) ? text : "https://\(urlWithoutScheme)")
    else {
      throw CallbackRefusal(
        .keyLocation, "The URL of the public key is not on one of the hosts that publish the keys of OSS.")
    }
    return url
  }

  /// Returns whether a text is the path of a file, without a query, an escape or a step to a parent folder.
  private static func isFilePath(_ path: Substring.UTF8View) -> Bool {
    keyPathByteCounts.contains(path.count) && !Substring(path).contains("..")
      && path.allSatisfy { $0.isASCIILetterOrDigit || "/._-".utf8.contains($0) }
  }
}

/// A callback that OSS sent, as its signature covers it.
public struct VerifiedCallback: Sendable, Hashable {
  /// The path and the query of the request, as the request line contained them.
  public let target: String
  /// The body of the request; its media type is not signed, so the app decides whether it is a form or JSON.
  public let body: [UInt8]

  /// Returns the decoded value of a variable, if the body is a form.
  ///
  /// - Parameter name: The name of the variable, such as `object`.
  /// - Returns: The value, or `nil` if the body is not a form in which the variable occurs exactly once.
  public func value(of name: String) -> String? {
    guard let pairs = FormPair.read(String(decoding: body, as: UTF8.self)) else { return nil }
    let values = pairs.filter { $0.name.isIdentical(to: name) }
    return values.count == 1 ? values[0].value : nil
  }
}

/// The reason why a request is not accepted as a callback of OSS.
public struct CallbackRefusal: Error, Sendable, Hashable, CustomStringConvertible {
  /// A code that identifies why a callback is refused.
  public enum Code: String, Sendable, Hashable {
    /// The method is not `POST`.
    case method
    /// The path or the query is too long, or makes the signed message ambiguous.
    case target
    /// The signature or the URL of the public key is missing, or occurs twice.
    case missingHeader
    /// The signature or the URL of the public key is not Base64, or has a wrong length.
    case malformedHeader
    /// The URL of the public key is not on an accepted host.
    case keyLocation
    /// The body is too large.
    case bodyTooLarge
    /// The public key cannot be fetched now.
    case keyUnavailable
    /// The signature belongs to another path, query or body, or to another key.
    case mismatch
  }

  /// The code that identifies the reason.
  public let code: Code
  /// A sentence that describes the reason.
  public let message: String

  init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }

  /// The code and the message in one line.
  public var description: String { "\(code.rawValue): \(message)" }
}
