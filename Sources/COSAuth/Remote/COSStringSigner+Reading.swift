internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension COSStringSigner {
  /// The window of a string that holds the hash of a text.
  func window(of order: SigningOrder, _ canonicalRequest: String) throws(SigningRefusal) -> COSKeyTime {
    var lines = SignedLines(order.stringToSign)
    guard try lines.first() == "sha1", lines.rest.count == 3, let window = COSKeyTime(try lines.first()),
      window.start < window.end
    else { throw .malformed("The string is not sha1, a window and a hash, a line each.") }
    let hash = SHA1.hash(writing: { $0.append(canonicalRequest) })
    let text = String(writing: { $0.append(cosStringToSign: hash, in: window) })
    guard text.utf8.elementsEqual(order.stringToSign.utf8) else {
      throw SigningRefusal(
        .hashMismatch, "The string does not hold the hash of the canonical request.",
        remedy: "Send both as the signer prepares them.")
    }
    return window
  }

  /// The request that a text is signed for.
  ///
  /// The path may hold line feeds; parameters and headers are encoded, so they are the last two lines.
  func request(_ order: SigningOrder, _ canonicalRequest: String) throws(SigningRefusal) -> HTTPRequest {
    var lines = SignedLines(canonicalRequest)
    let name = try lines.first()
    guard name == name.asciiLowercased else { throw .malformed("The method is not in lower case.") }
    let method = try order.checked(HTTPRequest.Method(signed: name.asciiUppercased))
    guard try lines.last().isEmpty else { throw .notCanonical }
    let headerLine = try lines.last()
    let query = try lines.last()
    var path = lines.remainder.percentEncoded(.path)
    if !query.isEmpty { path += "?\(query)" }
    var headers = HTTPFields()
    var host: String?
    for item in headerLine.isEmpty ? [] : headerLine.parts(between: "&") {
      let pair = item.parts(between: "=", atMost: 1)
      guard pair.count == 2, let name = Self.decoded(pair[0]), let value = Self.decoded(pair[1]) else {
        throw .malformed("The line of headers is not name=value, encoded, with & between them.")
      }
      guard name == "host" else {
        try headers.append(signed: name, value)
        continue
      }
      guard host == nil else { throw .malformed("There are two hosts.") }
      host = value
    }
    let request = HTTPRequest(method: method, scheme: nil, authority: host, path: path, headerFields: headers)
    var names = Set(headers.map(\.name.canonicalName))
    names.insert("host")
    let text: String
    do throws(SigningError) {
      text = try COSHTTPString(policy: .only(names)).with(request) { text, _, _ in String(writing: text) }
    } catch {
      throw .notCanonical
    }
    guard text.utf8.elementsEqual(canonicalRequest.utf8) else { throw .notCanonical }
    return request
  }

  private static func decoded(_ text: Substring) -> String? {
    String(text).percentDecodedBytes().flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// The bucket, the key and the parameters of a request that has to be for the endpoint.
  func target(of request: HTTPRequest) throws(SigningRefusal) -> RequestTarget {
    let target: RequestTarget
    do throws(VerificationError) {
      target = try RequestTarget(of: request, style: endpoint.style, bucket: bucket, hosts: .cos)
    } catch {
      throw .malformed("The host is not signed, or the path or the query is not UTF-8.")
    }
    var host = endpoint.authority
    if endpoint.style == .virtualHosted, let bucket = target.bucket { host = "\(bucket).\(host)" }
    guard request.authority == host else {
      throw .wrongScope("The host is not that of a bucket at \(endpoint.authority).")
    }
    return target
  }
}
