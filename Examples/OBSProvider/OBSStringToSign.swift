// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import StorageAuth

/// The target of a request, with the bucket name or host that precedes the key in the string to sign.
struct OBSAddress {
  /// The bucket name, the whole host of a custom domain, or `nil` for requests to the service itself.
  let owner: ByteExactString?

  /// The bucket, the key and the query parameters of the request.
  let target: RequestTarget

  /// Creates the address of a target whose bucket name precedes the key in the string to sign.
  init(_ target: RequestTarget) {
    owner = target.bucket
    self.target = target
  }

  /// Parses the address of a request.
  ///
  /// The vendor's hosts are `bucket.obs.region.myhuaweicloud.com`, and `obs.region.myhuaweicloud.com` with the bucket
  /// name in the path. For IP addresses and `localhost`, the bucket name is in the path as well. Any other host is a
  /// custom domain, which replaces the bucket name in the signature.
  ///
  /// - Parameters:
  ///   - request: The request, with its path still percent-encoded.
  ///   - style: The position of the bucket name in the URL, or `nil` to derive it from the host.
  /// - Throws: A `VerificationError` if the host, the path or the query cannot be parsed in exactly one way.
  init(of request: HTTPRequest, style: AddressingStyle?) throws(VerificationError) {
    let authority = request.authority ?? ""
    let label = Self.bucket(inVendorHost: ByteExactString(Substring(authority.utf8.prefix { $0 != UInt8(ascii: ":") })))
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

  /// Returns the part of a host before `obs.region.myhuaweicloud.com`, or `nil` for another host.
  ///
  /// The part is an empty string for the host of the service itself.
  private static func bucket(inVendorHost host: ByteExactString) -> String? {
    let host = host.asciiLowercased
    guard host.ends(with: ".myhuaweicloud.com") else { return nil }
    let labels = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count >= 4, ByteExactString(Substring(labels[labels.count - 4])) == "obs" else { return nil }
    return labels.dropLast(4).map { String(Substring($0)) }.joined(separator: ".")
  }

  /// The canonical resource without the parameters: `/`, `/bucket/` or `/bucket/key`, percent-encoded.
  var path: String {
    guard let owner else { return "/" }
    return "/\(owner.percentEncoded())/\(target.key?.percentEncoded(keepingSlashes: true) ?? "")"
  }
}

/// The string to sign for an OBS request: method, Content-MD5, Content-Type, date, `x-obs-` headers, resource.
///
/// Source: Huawei Cloud, "Authentication of Signature in a Header" and "Authentication of Signature in a URL".
struct OBSStringToSign {
  let address: OBSAddress
  let subresources: OBSSubresources

  /// Returns the string to sign for a request.
  ///
  /// - Parameters:
  ///   - request: The request with every signed header.
  ///   - date: The fourth line: the date of the request, the expiration of a URL, or an empty string if the date is in
  ///     the `x-obs-date` header.
  /// - Throws: A `SigningError` if a signed header or parameter is repeated, or cannot be signed in exactly one way.
  func text(of request: HTTPRequest, date: String) throws(SigningError) -> String {
    let fields = request.headerFields
    var lines = [request.method.rawValue]
    for name in [OBSField.contentMD5, .contentType] { lines.append(try Self.onlyValue(of: name, in: fields)) }
    lines.append(date)
    lines += try Self.headerLines(of: fields)
    lines.append(try resource)
    return lines.joined(separator: "\n")
  }

  /// Returns a line for each header name that starts with `x-obs-`, sorted by name.
  ///
  /// The values of a repeated header are joined in the order in which they appear.
  private static func headerLines(of fields: HTTPFields) throws(SigningError) -> [String] {
    var values: [ByteExactString: [String]] = [:]
    for field in fields where OBSName.isOwn(field.name.canonicalName) {
      values[ByteExactString(field.name.canonicalName), default: []].append(try signedValue(of: field))
    }
    return values.sorted { $0.key < $1.key }.map { "\($0.key):\($0.value.joined(separator: ","))" }
  }

  private static func onlyValue(of name: HTTPField.Name, in fields: HTTPFields) throws(SigningError) -> String {
    let found = fields[fields: name]
    guard found.count < 2 else { throw .repeatedHeader(name) }
    guard let field = found.first else { return "" }
    return try signedValue(of: field)
  }

  /// Returns a header's value without spaces and tabs at the ends.
  ///
  /// The documentation leaves it to the client to encode characters outside of ASCII. A value with such characters is
  /// rejected.
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

  /// The encoded path, followed by the sub-resources sorted by name.
  ///
  /// The values of sub-resources are not encoded.
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
        // The Python SDK signs the `=` of an empty value; the documentation's sample and the Go SDK do not.
        guard let value = parameter.value, !value.isEmpty else { continue }
        try checkIsOneParameter(value)
        text += "=\(value)"
      }
      return text
    }
  }

  /// Throws an error if a value contains `&` before a signed parameter's name.
  ///
  /// With such a value, another request would have the same string to sign.
  private func checkIsOneParameter(_ value: ByteExactString) throws(SigningError) {
    let pieces = value.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    for piece in pieces.dropFirst() {
      let name = ByteExactString(Substring(piece.prefix { $0 != UInt8(ascii: "=") }))
      guard !subresources.contains(name) else {
        throw SigningError(
          .invalidPath,
          "A signed parameter contains & where another parameter would begin: its signature is also one for other "
            + "parameters.",
          remedy: "Leave the & out, or sign without the parameter.")
      }
    }
  }
}

extension SigningError {
  /// Creates the signing error for a request that cannot be parsed.
  init(_ error: VerificationError) {
    self.init(.invalidRequest, error.message, remedy: error.remedy)
  }
}
