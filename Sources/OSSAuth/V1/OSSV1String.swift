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
  ///   - path: The path that is signed; nothing for that of the request.
  ///   - date: The fourth line: the date of the request, or the expiry of a URL.
  ///   - refused: Names of parameters that a request must not have.
  ///   - body: Uses the function.
  /// - Throws: A ``SigningError`` if the path cannot be read, or something signed is there twice.
  func with<Result>(
    _ request: HTTPRequest, path: String? = nil, date: String, refusing refused: NameTable? = nil,
    _ body: ((inout ByteWriter) -> Void) -> Result
  ) throws(SigningError) -> Result {
    let fields = request.headerFields
    let path = path ?? request.path ?? "/"
    return try ScratchList<SelectedHeader>.with { (headers) throws(SigningError) in
      let content = try select(from: fields, into: &headers)
      return try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        try withBytes(of: path) { (wire) throws(SigningError) in
          let pathEnd = try cut(wire, refusing: refused, into: &parameters)
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
      switch withBytes(of: name.canonicalName, { Role(of: $0, index, &headers) }) {
      case .md5 where md5 == nil: md5 = index
      case .type where type == nil: type = index
      case .md5, .type: throw .repeatedHeader(name)
      case .other: break
      }
    }
    if let repeated = SelectedHeader.sort(&headers, of: fields) { throw .repeatedHeader(fields[repeated].name) }
    return (md5, type)
  }

  /// What a header is to a V1 signature.
  private enum Role {
    case md5
    case type
    case other

    /// Tells by the name in lower case, and selects a header that starts with `x-oss-`.
    init(of name: Span<UInt8>, _ index: Int, _ headers: inout ScratchList<SelectedHeader>) {
      if name.starts(with: "x-oss-") {
        headers.append(SelectedHeader(name: name, index: Int32(index)))
        self = .other
      } else if name.count == 11, name.starts(with: "content-md5") {
        self = .md5
      } else if name.count == 12, name.starts(with: "content-type") {
        self = .type
      } else {
        self = .other
      }
    }
  }

  /// Keeps the parameters that are signed, sorted; a repeated one has no defined meaning.
  private func cut(
    _ wire: Span<UInt8>, refusing refused: NameTable?, into signed: inout ScratchList<WireParameter>
  ) throws(SigningError) -> Int {
    let pathEnd = try ScratchList<WireParameter>.with { (all) throws(SigningError) in
      guard let pathEnd = WireQuery.cut(wire, into: &all) else { throw SigningError.unreadablePath }
      if let refused { try WireQuery.refuse(refused, among: all, of: wire) }
      for index in 0..<all.count where subresources.contains(wire.extracting(all[index].name)) {
        signed.append(all[index])
      }
      return pathEnd
    }
    try WireQuery.sortDistinct(&signed, of: wire, by: .decoded)
    return pathEnd
  }
}
