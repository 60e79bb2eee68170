internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The text that a COS signature covers: method, decoded path, parameters and headers, a line each.
struct COSHTTPString {
  /// Writes a piece of text.
  typealias Write = (inout ByteWriter) -> Void

  let policy: COSHeaderPolicy

  /// The names of the parameters that are signed, decoded and in lower case; nothing for all of them.
  var parameterNames: Set<WireText>?

  /// How the text is spelt; anything but the standard is for verifying alone.
  var spelling = COSSpelling.standard

  /// The host as it is signed; nothing for the authority.
  var host: String?

  /// The session token as it stands in the text, encoded once per key.
  var encodedToken: SecretBytes?

  /// Names of parameters that a request must not have.
  var refused: NameTable?

  /// Hands functions that write the text, the list of headers and the list of parameters of a request to `body`.
  ///
  /// - Parameters:
  ///   - request: The request with every header and parameter that is signed.
  ///   - path: The path that is signed; nothing for that of the request.
  ///   - body: Uses the functions.
  /// - Throws: A ``SigningError`` if the path cannot be read, or a header that is signed is there twice.
  func with<Result>(
    _ request: HTTPRequest, path: String? = nil,
    _ body: (_ text: Write, _ headerList: Write, _ parameterList: Write) -> Result
  ) throws(SigningError) -> Result {
    let fields = request.headerFields
    let authority = host ?? request.authority
    let spelling = spelling
    let path = path ?? request.path ?? "/"
    return try ScratchList<SelectedHeader>.with { (headers) throws(SigningError) in
      try select(from: fields, authority: authority, into: &headers)
      return try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        try withBytes(of: path) { (wire) throws(SigningError) in
          let pathEnd = try cut(wire, into: &parameters)
          return body(
            { writer in
              writer.append(lowercased: request.method.rawValue)
              writer.append(UInt8(ascii: "\n"))
              writer.append(decoding: wire.extracting(0..<pathEnd), plusIsSpace: false)
              writer.append(UInt8(ascii: "\n"))
              for index in 0..<parameters.count {
                if index > 0 { writer.append(UInt8(ascii: "&")) }
                writer.append(
                  canonical: parameters[index], of: wire, nameCase: spelling.nameCase, keepsEmptyValue: true)
              }
              writer.append(UInt8(ascii: "\n"))
              for index in 0..<headers.count {
                if index > 0 { writer.append(UInt8(ascii: "&")) }
                let header = headers[index]
                let name = header.name(in: fields)
                writer.append(headerName: name)
                writer.append(UInt8(ascii: "="))
                if header.index == SelectedHeader.host {
                  writer.append(percentEncoding: authority ?? "")
                } else if let encodedToken, name == HTTPField.Name.cosSecurityToken.canonicalName {
                  encodedToken.withBytes { writer.append($0) }
                } else {
                  writer.append(percentEncoding: fields[Int(header.index)])
                }
              }
              writer.append(UInt8(ascii: "\n"))
            },
            { writer in
              for index in 0..<headers.count {
                if index > 0 { writer.append(UInt8(ascii: ";")) }
                writer.append(headerName: headers[index].name(in: fields))
              }
            },
            { writer in
              for index in 0..<parameters.count {
                if index > 0 { writer.append(UInt8(ascii: ";")) }
                writer.append(
                  recoding: wire.extracting(parameters[index].name), plusIsSpace: true, .component, .lowered)
              }
            })
        }
      }
    }
  }

  private func cut(
    _ wire: Span<UInt8>, into parameters: inout ScratchList<WireParameter>
  ) throws(SigningError) -> Int {
    let end: Int?
    if let parameterNames {
      end = ScratchList<WireParameter>.with { all in
        let end = WireQuery.cut(wire, into: &all)
        for index in 0..<all.count {
          let name = String(writing: { $0.append(decoding: wire.extracting(all[index].name), plusIsSpace: true) })
          if parameterNames.contains(WireText(name.asciiLowercased)) { parameters.append(all[index]) }
        }
        return end
      }
    } else {
      end = WireQuery.cut(wire, into: &parameters)
      // A list of names cannot tell one that is empty from none.
      for index in 0..<parameters.count where parameters[index].name.isEmpty { throw .namelessParameter }
    }
    guard let end else { throw .unreadablePath }
    if let refused { try WireQuery.refuse(refused, among: parameters, of: wire) }
    WireQuery.sort(&parameters, of: wire, by: spelling.order, thenByValue: spelling != .wireOrder)
    return end
  }

  private func select(
    from fields: HTTPFields, authority: String?, into headers: inout ScratchList<SelectedHeader>
  ) throws(SigningError) {
    for index in fields.indices {
      let name = fields[index].name.canonicalName
      guard name != "host", policy.signs(name) else { continue }
      withBytes(of: name) { headers.append(SelectedHeader(name: $0, index: Int32(index))) }
    }
    if policy.signsHost, authority != nil {
      withBytes(of: "host") { headers.append(SelectedHeader(name: $0, index: SelectedHeader.host)) }
    }
    if let repeated = SelectedHeader.sort(&headers, of: fields) { throw .repeatedHeader(fields[repeated].name) }
  }
}

extension ByteWriter {
  /// Appends the name of a header, which is in lower case already; a token may hold characters that are encoded.
  mutating func append(headerName name: String) {
    withBytes(of: name) { name in
      for index in name.indices where !PercentEncoding.component.keeps(name[index]) {
        return append(percentEncoding: name, .component, .lowered)
      }
      append(name)
    }
  }

  /// Appends ASCII text in lower case.
  mutating func append(lowercased text: String) {
    for byte in text.utf8 { append(asciiLowercased(byte)) }
  }

  /// Appends the string to sign of a text that hashes to `hash`.
  mutating func append(cosStringToSign hash: Digest, in window: COSKeyTime) {
    append("sha1\n")
    window.append(to: &self)
    append(UInt8(ascii: "\n"))
    append(hex: hash)
    append(UInt8(ascii: "\n"))
  }
}
