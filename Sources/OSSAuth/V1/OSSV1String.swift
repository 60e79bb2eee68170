internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto

/// The string to sign of OSS V1: verb, Content-MD5, Content-Type, date, `x-oss-` headers, resource.
struct OSSV1String {
  let resource: OSSResource
  let subresources: OSSSubresources

  /// Hands a function that writes the string to sign of a request to `body`.
  ///
  /// - Parameters:
  ///   - request: The request with every header that is signed.
  ///   - date: The fourth line: the date of the request, or the expiry of a URL.
  ///   - body: Uses the function.
  /// - Throws: A ``SigningError`` if the path cannot be read, or something signed is there twice.
  func with<Result>(
    _ request: HTTPRequest, date: String, _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    let fields = request.headerFields
    let path = request.path ?? "/"
    return try ScratchList<SelectedHeader>.with { (headers) throws(SigningError) in
      let content = try select(from: fields, into: &headers)
      return try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        try withBytes(of: path) { (wire) throws(SigningError) in
          let pathEnd = try cut(wire, into: &parameters)
          return body { writer in
            writer.append(request.method.rawValue)
            writer.append(UInt8(ascii: "\n"))
            if let md5 = content.md5 { writer.append(fields[md5]) }
            writer.append(UInt8(ascii: "\n"))
            if let type = content.type { writer.append(fields[type]) }
            writer.append(UInt8(ascii: "\n"))
            writer.append(date)
            writer.append(UInt8(ascii: "\n"))
            for index in 0..<headers.count {
              let field = fields[Int(headers[index].index)]
              writer.append(field.name.canonicalName)
              writer.append(UInt8(ascii: ":"))
              writer.append(field)
              writer.append(UInt8(ascii: "\n"))
            }
            writer.append(resource, path: wire.extracting(0..<pathEnd), encoded: false)
            for index in 0..<parameters.count {
              writer.append(UInt8(ascii: index == 0 ? "?" : "&"))
              let parameter = parameters[index]
              writer.append(decoding: wire.extracting(parameter.name), plusIsSpace: true)
              guard !parameter.value.isEmpty else { continue }
              writer.append(UInt8(ascii: "="))
              writer.append(decoding: wire.extracting(parameter.value), plusIsSpace: true)
            }
          }
        }
      }
    }
  }

  private func select(
    from fields: HTTPFields, into headers: inout ScratchList<SelectedHeader>
  ) throws(SigningError) -> (md5: Int?, type: Int?) {
    var md5: Int?
    var type: Int?
    for index in fields.indices {
      let name = fields[index].name
      if name == .contentMD5 {
        if md5 != nil { throw .repeatedHeader(name) }
        md5 = index
      } else if name == .contentType {
        if type != nil { throw .repeatedHeader(name) }
        type = index
      } else {
        withBytes(of: name.canonicalName) { name in
          if name.starts(with: "x-oss-") { headers.append(SelectedHeader(name: name, index: Int32(index))) }
        }
      }
    }
    if let repeated = SelectedHeader.sort(&headers, of: fields) { throw .repeatedHeader(fields[repeated].name) }
    return (md5, type)
  }

  /// Keeps the parameters that are signed, sorted; a repeated one has no defined meaning.
  private func cut(
    _ wire: Span<UInt8>, into signed: inout ScratchList<WireParameter>
  ) throws(SigningError) -> Int {
    let pathEnd = try ScratchList<WireParameter>.with { (all) throws(SigningError) in
      guard let pathEnd = WireQuery.cut(wire, into: &all) else { throw SigningError.unreadablePath }
      for index in 0..<all.count where subresources.contains(wire.extracting(all[index].name)) {
        signed.append(all[index])
      }
      return pathEnd
    }
    try WireQuery.sortDistinct(&signed, of: wire, by: .decoded)
    return pathEnd
  }
}
