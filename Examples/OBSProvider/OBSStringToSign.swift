import HTTPTypes
import StorageAuth

/// What a request is about, and the name that stands before the key in what is signed.
struct OBSAddress {
  /// The bucket, or the whole host of a custom domain; `nil` for the service itself.
  let owner: WireText?

  /// The bucket, the key and the parameters.
  let target: RequestTarget

  /// Creates the address of a target whose bucket is what is signed.
  init(_ target: RequestTarget) {
    owner = target.bucket
    self.target = target
  }

  /// Reads the address of a request.
  ///
  /// Hosts of the vendor are `bucket.obs.region.myhuaweicloud.com`, and `obs.region.myhuaweicloud.com` with the bucket in
  /// the path; IP addresses and `localhost` have it in the path too; any other host is a custom domain, which stands in
  /// the signature where the bucket would.
  ///
  /// - Parameters:
  ///   - request: The request; its path as it travels.
  ///   - style: Where the bucket is; `nil` if the host decides.
  /// - Throws: A `VerificationError` if the host, the path or the query cannot be read in one way only.
  init(of request: HTTPRequest, style: AddressingStyle?) throws(VerificationError) {
    let authority = request.authority ?? ""
    let label = Self.bucket(inVendorHost: WireText(Substring(authority.utf8.prefix { $0 != UInt8(ascii: ":") })))
    let isPath =
      switch style {
      case .path: true
      case .customDomain: false
      case .virtualHosted: label == ""
      case nil: label == "" || AddressingStyle(authority: authority) == .path
      }
    if isPath {
      target = try RequestTarget(of: request, style: .path)
    } else if let label, style != .customDomain {
      target = try RequestTarget(of: request, style: .customDomain, bucket: label)
    } else {
      target = try RequestTarget(of: request, style: style == .virtualHosted ? .virtualHosted : .customDomain)
    }
    owner = target.bucket
    guard owner?.isEmpty != true else { throw .malformed("The name of the bucket is empty.") }
  }

  /// Returns what stands before `obs.region.myhuaweicloud.com`, which is nothing for the service itself, or `nil` for a
  /// host that is not the vendor's.
  private static func bucket(inVendorHost host: WireText) -> String? {
    let host = host.asciiLowercased
    guard host.ends(with: ".myhuaweicloud.com") else { return nil }
    let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count >= 4, WireText(Substring(labels[labels.count - 4])) == "obs" else { return nil }
    return labels.dropLast(4).map { String(Substring($0)) }.joined(separator: ".")
  }

  /// The canonical resource up to the parameters: `/`, `/bucket/` or `/bucket/key`, percent-encoded.
  var path: String {
    guard let owner else { return "/" }
    return "/\(owner.percentEncoded())/\(target.key?.percentEncoded(keepingSlashes: true) ?? "")"
  }
}

/// The string to sign: verb, Content-MD5, Content-Type, date, `x-obs-` headers, resource.
///
/// Source: "Authentication of Signature in a Header" and "Authentication of Signature in a URL".
struct OBSStringToSign {
  let address: OBSAddress
  let subresources: OBSSubresources

  /// Returns the string to sign of a request.
  ///
  /// - Parameters:
  ///   - request: The request with every header that is signed.
  ///   - date: The fourth line: the date of the request, the end of a URL, or nothing where `x-obs-date` has it.
  /// - Throws: A `SigningError` if something signed is there twice, or cannot be signed in one way only.
  func text(of request: HTTPRequest, date: String) throws(SigningError) -> String {
    let fields = request.headerFields
    var lines = [request.method.rawValue]
    for name in [OBSField.contentMD5, .contentType] { lines.append(try Self.onlyValue(of: name, in: fields)) }
    lines.append(date)
    lines += try Self.headerLines(of: fields)
    lines.append(try resource)
    return lines.joined(separator: "\n")
  }

  /// A line for each name that starts with `x-obs-`, sorted; what is repeated is joined in the order of arrival.
  private static func headerLines(of fields: HTTPFields) throws(SigningError) -> [String] {
    var values: [WireText: [String]] = [:]
    for field in fields where OBSName.isOwn(field.name.canonicalName) {
      values[WireText(field.name.canonicalName), default: []].append(try signedValue(of: field))
    }
    return values.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value.joined(separator: ","))" }
  }

  private static func onlyValue(of name: HTTPField.Name, in fields: HTTPFields) throws(SigningError) -> String {
    let found = fields[fields: name]
    guard found.count < 2 else { throw .repeatedHeader(name) }
    guard let field = found.first else { return "" }
    return try signedValue(of: field)
  }

  /// Returns the value without the blanks at its ends; the documentation leaves it to the client to encode what is not
  /// ASCII.
  private static func signedValue(of field: HTTPField) throws(SigningError) -> String {
    guard field.value.utf8.allSatisfy({ $0 < 0x80 }) else {
      throw SigningError(
        .invalidHeader, "The header \(field.name.rawName) holds a character that is not ASCII.",
        remedy: "Percent-encode its value, and decode it when it is read back.")
    }
    var value = Substring(field.value)
    while let first = value.utf8.first, Self.isBlank(first) { value.removeFirst() }
    while let last = value.utf8.last, Self.isBlank(last) { value.removeLast() }
    return String(value)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }

  /// The resource: the encoded path, and the sub-resources in the order of their names with values that are not encoded.
  private var resource: String {
    get throws(SigningError) {
      var signed: [RequestTarget.Parameter] = []
      for parameter in address.target.parameters where try subresources.signs(parameter.name) {
        signed.append(parameter)
      }
      signed.sort { $0.name < $1.name }
      for (parameter, next) in zip(signed, signed.dropFirst()) where parameter.name == next.name {
        throw SigningError.repeatedParameter
      }
      var text = address.path
      for (index, parameter) in signed.enumerated() {
        text += (index == 0 ? "?" : "&") + parameter.name.percentEncoded(keepingSlashes: true)
        // The Python SDK signs the `=` of an empty value, the documentation's sample and the Go SDK do not.
        guard let value = parameter.value, !value.isEmpty else { continue }
        try checkIsOneParameter(value)
        text += "=\(value)"
      }
      return text
    }
  }

  /// Refuses a value with `&` where another signed parameter would begin: the same text is that of another request.
  private func checkIsOneParameter(_ value: WireText) throws(SigningError) {
    let pieces = value.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    for piece in pieces.dropFirst() {
      let name = WireText(Substring(piece.prefix { $0 != UInt8(ascii: "=") }))
      guard !subresources.contains(name) else {
        throw SigningError(
          .invalidPath,
          "A signed parameter holds & where another parameter would begin: its signature is also one for other "
            + "parameters.",
          remedy: "Leave the & out, or sign without the parameter.")
      }
    }
  }
}

extension SigningError {
  /// Creates the error for a request that cannot be read.
  init(_ error: VerificationError) {
    self.init(.invalidRequest, error.message, remedy: error.remedy)
  }
}
