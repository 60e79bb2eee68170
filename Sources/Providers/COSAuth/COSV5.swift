// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

extension HTTPField.Name {
  package static let cosSecurityToken = known("x-cos-security-token")
  package static let ciSecurityToken = known("x-ci-security-token")
}

/// The string whose hash a COS signature covers (HttpString): method, decoded path, parameters and headers, a line each.
///
/// Source: the step that generates HttpString in "Request Signature", to which ``COSSigner`` links.
struct COSHTTPString {
  /// A function that appends a text to a writer.
  typealias Append = (inout ByteWriter) -> Void

  let policy: COSHeaderPolicy
  /// The decoded, lowercase names of the signed query parameters, or `nil` to sign all of them.
  var parameterNames: Set<ByteExactString>?
  /// The encoding and the order of the parameter names, which only verifiers change.
  var spelling = COSSpelling.standard
  /// The host to sign, or `nil` for the request's authority.
  var host: String?
  /// The value of `x-cos-security-token`, percent-encoded once per key, or `nil` to encode the request's value.
  var encodedToken: SecretBytes?
  /// The parameters that a request must not contain before it is signed, or `nil` for a request that is verified.
  var refusedParameters: RefusedParameters?

  /// Calls `body` with the header list, and with functions that append the HTTP string and the parameter list.
  ///
  /// `path` is the path to sign, including the query.
  func withHTTPString<Result>(
    _ request: HTTPRequest, fields: borrowing FieldDraft, path: String, part: SignedTextPart = .whole,
    _ body: (_ appendText: Append, _ headerList: Span<UInt8>, _ appendParameterList: Append) -> Result
  ) throws(SigningError) -> Result {
    let authority = host ?? request.authority
    return try ScratchList<SelectedHeader>.with { (headers) throws(SigningError) in
      try selectHeaders(from: fields, authority: authority, into: &headers)
      return try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        try withBytes(of: path) { (wire) throws(SigningError) in
          let wirePath = try selectParameters(of: wire, into: &parameters)
          // The list is written once, because the HTTP string contains each of its names as well.
          return withWrittenBytes({ appendHeaderList(headers, in: fields, to: &$0) }) { headerList in
            body(
              { writer in
                if part.hasPath {
                  writer.append(lowercased: request.method.rawValue)
                  writer.append(UInt8(ascii: "\n"))
                  writer.append(decoding: wirePath, of: wire)
                }
                guard part.hasRest else { return }
                writer.append(UInt8(ascii: "\n"))
                appendParameters(parameters, of: wire, to: &writer)
                writer.append(UInt8(ascii: "\n"))
                appendHeaders(headers, named: headerList, of: fields, authority: authority, to: &writer)
                writer.append(UInt8(ascii: "\n"))
              }, headerList, { appendParameterList(parameters, of: wire, to: &$0) })
          }
        }
      }
    }
  }

  @inline(__always)
  private func appendParameters(
    _ parameters: borrowing ScratchList<WireParameter>, of wire: Span<UInt8>, to writer: inout ByteWriter
  ) {
    let nameCase = spelling.nameCase
    for index in 0..<parameters.count {
      if index > 0 { writer.append(UInt8(ascii: "&")) }
      writer.append(canonical: parameters[index], of: wire, nameCase: nameCase, keepsEmptyValue: true)
    }
  }

  @inline(__always)
  private func appendParameterList(
    _ parameters: borrowing ScratchList<WireParameter>, of wire: Span<UInt8>, to writer: inout ByteWriter
  ) {
    for index in 0..<parameters.count {
      if index > 0 { writer.append(UInt8(ascii: ";")) }
      writer.append(loweredNameOf: parameters[index], of: wire)
    }
  }

  /// Appends the line of headers, whose names are those of the header list, in the same order.
  private func appendHeaders(
    _ headers: borrowing ScratchList<SelectedHeader>, named headerList: Span<UInt8>, of fields: borrowing FieldDraft,
    authority: String?, to writer: inout ByteWriter
  ) {
    let tokenIndex = encodedToken == nil ? nil : fields.index(of: .cosSecurityToken)
    var nameStart = 0
    for index in 0..<headers.count {
      if index > 0 { writer.append(UInt8(ascii: "&")) }
      let nameEnd = headerList.endOfHeaderName(from: nameStart)
      writer.append(headerList.extracting(nameStart..<nameEnd))
      writer.append(UInt8(ascii: "="))
      nameStart = nameEnd + 1
      let header = headers[index]
      let fieldIndex = Int(header.index)
      if header.index == SelectedHeader.hostIndex {
        writer.append(percentEncoding: authority ?? "")
      } else if let encodedToken, fieldIndex == tokenIndex {
        encodedToken.withBytes { writer.append($0) }
      } else {
        writer.append(percentEncodingValueAt: fieldIndex, of: fields)
      }
    }
  }

  private func appendHeaderList(
    _ headers: borrowing ScratchList<SelectedHeader>, in fields: borrowing FieldDraft, to writer: inout ByteWriter
  ) {
    for index in 0..<headers.count {
      if index > 0 { writer.append(UInt8(ascii: ";")) }
      let header = headers[index]
      if header.hasUnreservedName {
        header.appendName(in: fields, to: &writer)
      } else {
        withBytes(of: header.name(in: fields)) { writer.append(headerName: $0) }
      }
    }
  }

  /// Selects and sorts the signed parameters, and returns the path before them.
  private func selectParameters(
    of wire: Span<UInt8>, into parameters: inout ScratchList<WireParameter>
  ) throws(SigningError) -> WirePath {
    guard let wirePath = WireQuery.split(wire, into: &parameters) else { throw .unreadablePath }
    if let parameterNames {
      parameters.keep { parameter in
        let name = String(writing: { $0.append(decoding: wire.extracting(parameter.name), plusIsSpace: true) })
        return parameterNames.contains(ByteExactString(name.asciiLowercased))
      }
    } else {
      // The list of one empty name is the empty list, so that the parameter would count as unsigned.
      for index in 0..<parameters.count where parameters[index].name.isEmpty { throw .namelessParameter }
    }
    try refusedParameters?.check(parameters, of: wire)
    WireQuery.sort(&parameters, of: wire, by: spelling.order, thenByValue: spelling != .wireOrder)
    return wirePath
  }

  /// Selects and sorts the headers that the policy signs, with the authority as the host.
  private func selectHeaders(
    from fields: borrowing FieldDraft, authority: String?, into headers: inout ScratchList<SelectedHeader>
  ) throws(SigningError) {
    for index in fields.indices {
      withBytes(of: fields.canonicalName(at: index)) { name in
        let isHost = name.count == 4 && name.starts(with: "host")
        guard !isHost, policy.signs(name) else { return }
        headers.append(SelectedHeader(name: name, index: Int32(index)))
      }
    }
    if policy.signsHost, authority != nil {
      withBytes(of: "host") { headers.append(SelectedHeader(name: $0, index: SelectedHeader.hostIndex)) }
    }
    if let repeated = SelectedHeader.sort(&headers, of: fields) { throw .repeatedHeader(fields.name(at: repeated)) }
  }
}

extension ByteWriter {
  /// Appends a lowercase header name, which can contain characters that the signature percent-encodes.
  mutating func append(headerName name: Span<UInt8>) {
    if name.isKept(by: .component) { append(name) } else { append(percentEncoding: name, .component, .lowered) }
  }

  mutating func append(lowercased text: String) { withBytes(of: text) { append(lowercased: $0) } }

  /// Appends the string to sign for an HTTP string with the given hash.
  mutating func append(cosStringToSign hash: Digest, in window: COSKeyTime) {
    append(headOfCOSStringToSignIn: window)
    append(tailOfCOSStringToSign: hash)
  }

  @inline(__always)
  mutating func append(headOfCOSStringToSignIn window: COSKeyTime) {
    append("sha1\n")
    window.append(to: &self)
    append(UInt8(ascii: "\n"))
  }

  @inline(__always)
  mutating func append(tailOfCOSStringToSign hash: Digest) {
    append(hex: hash)
    append(UInt8(ascii: "\n"))
  }
}

/// The encoding and the order of the query parameter names in the HTTP string.
///
/// The vendor's SDKs agree about names of letters, digits and hyphens. For other names, some SDKs differ from the
/// documentation, and a server must accept what they send.
enum COSSpelling: CaseIterable {
  /// The documented form: the names are percent-encoded, lowercase and then sorted, and then the values.
  case standard
  /// The form of the JavaScript SDKs: the names are encoded as documented, but sorted by the names before encoding.
  case sortedByRawName
  /// The form of the iOS SDK: the names are lowercase and then percent-encoded, so that escapes are uppercase.
  case upperCaseEscapes
  /// The form of the Android SDK: a repeated name is listed once, and its values keep the order of the URL.
  case wireOrder

  var order: EncodedOrder { self == .sortedByRawName ? .decodedLowered : .encodedLowered }
  var nameCase: EncodedCase { self == .upperCaseEscapes ? .loweredLetters : .lowered }
}
