internal import HTTPTypes
internal import StorageAuth

extension SigningScheme {
  /// No byte of a signed request can be another one: of the path, the query, the signed headers, the authorization.
  package func noByteCanChange(inHeadersOf sample: Sample, hostIsSigned: Bool) throws -> Int {
    let signed = try signer.signed(sample.request, with: sample.key, in: .at(sample.date))
    return try noByteCanChange(in: signed, sample, hostIsSigned: hostIsSigned)
  }

  /// No byte of a presigned URL, or of the headers that belong to it, can be another one.
  package func noByteCanChange(inURLOf sample: Sample, hostIsSigned: Bool) throws -> Int {
    let signed = try signer.presign(
      sample.request, with: sample.key, validFor: .seconds(60), in: .at(sample.date))
    return try noByteCanChange(in: signed.request(), sample, hostIsSigned: hostIsSigned)
  }

  private func noByteCanChange(in signed: HTTPRequest, _ sample: Sample, hostIsSigned: Bool) throws -> Int {
    _ = try verify(signed, against: sample.key, at: sample.date)
    var count = 0
    for path in (signed.path ?? "").flips(from: 1) {
      var request = signed
      request.path = path
      try requireRefusal(request, sample, "with another byte in the path")
      count += 1
    }
    let names = signsByRule(signed)
    for index in signed.headerFields.indices where names.contains(signed.headerFields[index].name) {
      for value in signed.headerFields[index].value.flips() {
        var request = signed
        request.headerFields[index].value = value
        try requireRefusal(request, sample, "with another byte in \(signed.headerFields[index])")
        count += 1
      }
      var fields = Array(signed.headerFields)
      fields.remove(at: index)
      var request = signed
      request.headerFields = HTTPFields(fields)
      if signed.headerFields[index].name != .authorization {
        try requireRefusal(request, sample, "without \(signed.headerFields[index].name)")
      }
      request = signed
      request.headerFields.append(signed.headerFields[index])
      try requireRefusal(request, sample, "with \(signed.headerFields[index].name) twice")
    }
    for method in [HTTPRequest.Method.get, .put, .post, .delete, .head, .options] where method != signed.method {
      var request = signed
      request.method = method
      try requireRefusal(request, sample, "as \(method)")
    }
    for host in (signed.authority ?? "").flips() where hostIsSigned {
      var request = signed
      request.authority = host
      try requireRefusal(request, sample, "at \(host)")
      count += 1
    }
    return count
  }

  /// The fields of a request that the scheme signs, the authorization included.
  private func signsByRule(_ request: HTTPRequest) -> Set<HTTPField.Name> {
    let names = Set(vocabulary.headers)
    return Set(
      request.headerFields.map(\.name).filter { name in
        names.contains(name.canonicalName) || name == .authorization || name.canonicalName.hasPrefix("x-")
          || name == .date && !request.headerFields.contains { $0.name.canonicalName == "x-oss-date" }
      })
  }
}

extension String {
  /// Copies of the text with one byte changed to another of its kind, so that the text stays readable.
  func flips(from start: Int = 0) -> [String] {
    let bytes = Array(utf8)
    return (min(start, bytes.count)..<bytes.count).compactMap { index in
      var copy = bytes
      copy[index] =
        switch bytes[index] {
        case UInt8(ascii: "0")...UInt8(ascii: "8"), UInt8(ascii: "a")...UInt8(ascii: "e"),
          UInt8(ascii: "g")...UInt8(ascii: "y"), UInt8(ascii: "A")...UInt8(ascii: "E"),
          UInt8(ascii: "G")...UInt8(ascii: "Y"):
          bytes[index] + 1
        case UInt8(ascii: "9"): UInt8(ascii: "8")
        case UInt8(ascii: "f"): UInt8(ascii: "e")
        case UInt8(ascii: "F"): UInt8(ascii: "E")
        default: UInt8(ascii: "x")
        }
      return String(validating: copy, as: UTF8.self)
    }
  }
}
