internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The text that a COS signature covers: method, decoded path, parameters and headers, a line each.
struct COSHTTPString {
  /// Writes a piece of text.
  typealias Write = (inout ByteWriter) -> Void

  let policy: COSHeaderPolicy

  /// Hands functions that write the text, the list of headers and the list of parameters of a request to `body`.
  ///
  /// - Parameters:
  ///   - request: The request with every header and parameter that is signed.
  ///   - body: Uses the functions.
  /// - Throws: A ``SigningError`` if the path cannot be read, or a header that is signed is there twice.
  func with<Result>(
    _ request: HTTPRequest, _ body: (_ text: Write, _ headerList: Write, _ parameterList: Write) -> Result
  ) throws(SigningError) -> Result {
    let fields = request.headerFields
    let authority = request.authority
    let path = request.path ?? "/"
    return try ScratchList<SelectedHeader>.with { (headers) throws(SigningError) in
      try select(from: fields, authority: authority, into: &headers)
      return try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        try withBytes(of: path) { (wire) throws(SigningError) in
          guard let pathEnd = WireQuery.cut(wire, into: &parameters) else { throw SigningError.unreadablePath }
          WireQuery.sort(&parameters, of: wire, by: .encodedLowered)
          return body(
            { writer in
              writer.append(lowercased: request.method.rawValue)
              writer.append(UInt8(ascii: "\n"))
              writer.append(decoding: wire.extracting(0..<pathEnd), plusIsSpace: false)
              writer.append(UInt8(ascii: "\n"))
              for index in 0..<parameters.count {
                if index > 0 { writer.append(UInt8(ascii: "&")) }
                writer.append(canonical: parameters[index], of: wire, nameCase: .lowered, keepsEmptyValue: true)
              }
              writer.append(UInt8(ascii: "\n"))
              for index in 0..<headers.count {
                if index > 0 { writer.append(UInt8(ascii: "&")) }
                let header = headers[index]
                writer.append(percentEncoding: header.name(in: fields), .component, .lowered)
                writer.append(UInt8(ascii: "="))
                if header.index == SelectedHeader.host {
                  writer.append(percentEncoding: authority ?? "")
                } else {
                  writer.append(percentEncoding: fields[Int(header.index)])
                }
              }
              writer.append(UInt8(ascii: "\n"))
            },
            { writer in
              for index in 0..<headers.count {
                if index > 0 { writer.append(UInt8(ascii: ";")) }
                writer.append(percentEncoding: headers[index].name(in: fields), .component, .lowered)
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
