// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth

// The checks of what a verifier states about a request: that it is signed, and for which scope.

extension VerifierConformance {
  /// Checks that each header in `signedHeaders` is covered, also in a request with a header that was added.
  func checkCoverage(_ signed: SignedSample) throws -> Int {
    var tries = 0
    var added = signed.request
    added.headerFields.append(HTTPField(name: Self.addedHeader, value: "1"))
    for request in [signed.request, added] {
      guard let verified = proof(of: request, signed) else { continue }
      for name in verified.signedHeaders.sorted() {
        for (what, changed) in request.changes(ofHeader: name) {
          if proof(of: changed, signed) != nil {
            throw Violation("signedHeaders lists \(name), and the request is accepted \(what)")
          }
          tries += 1
        }
      }
    }
    return tries
  }

  /// Checks that no header and no parameter with a control prefix can be added.
  func checkControls(_ signed: SignedSample) throws -> Int {
    let prefixes = controlPrefixes(of: signed)
    guard !prefixes.isEmpty else { throw NotTried(reason: "the verifier has no control prefixes") }
    var tries = 0
    for prefix in prefixes {
      let names = prefix.hasByteSuffix("-") ? ["acl", "copy-source", "meta-added"].map { prefix + $0 } : [prefix]
      for name in names {
        if let field = HTTPField.Name(name), signed.request.headerFields[field] == nil {
          var request = signed.request
          request.headerFields.append(HTTPField(name: field, value: "added"))
          if proof(of: request, signed) != nil { throw Violation("accepted with the header \(name) added") }
          tries += 1
        }
        if proof(of: signed.request.appending(item: "\(name)=added"), signed) != nil {
          throw Violation("accepted with the parameter \(name) added")
        }
        tries += 1
      }
    }
    return tries
  }

  /// Checks that the signed parameters are the same, whatever is added to, changed in or removed from the query.
  func checkParameters(_ signed: SignedSample) throws -> Int {
    guard let original = proof(of: signed.request, signed)?.target else {
      throw NotTried(reason: "a signed request is rejected")
    }
    let added = ["added", "added=1", "acl", "ACL", "%61cl=", "prefix=added", "Prefix=added", "uploads", "Uploads="]
    let changes =
      added.map { ("with \($0) added", signed.request.appending(item: $0)) } + signed.request.changesOfItems
    for (what, request) in changes {
      guard let verified = proof(of: request, signed) else { continue }
      try require(
        verified.target.namesByCase.isByteEqual(to: original.namesByCase, ignoringAdded: false),
        "accepted \(what), which is a signed parameter for the verifier")
    }
    return changes.count
  }

  /// Checks that each part of the scope behind the key's ID is compared.
  func checkScope(_ signed: SignedSample) throws -> Int {
    let changes = signed.request.changesOfScope(behind: signed.sample.credential.id)
    guard !changes.isEmpty else { throw NotTried(reason: "the authorization has no scope") }
    for (part, request) in changes {
      guard let error = refusal(of: request, against: signed.sample.credential, at: signed.sample.date) else {
        throw Violation("accepted with \(part) instead of a part of the scope")
      }
      try require(
        error.code != .mismatch,
        "the signature is computed for \(part) instead of a part of the scope, which is not compared; a key can sign for "
          + "it")
    }
    return changes.count
  }

  private static var addedHeader: HTTPField.Name { .known("x-added-by-conformance") }

  /// Returns the verified request, or `nil` if the verifier rejects it.
  private func proof(of request: HTTPRequest, _ signed: SignedSample) -> VerifiedRequest? {
    try? verify(request, against: signed.sample.credential, at: signed.sample.date)
  }

  /// Returns the verifier's control prefixes, and those of the headers that the signer added, such as `x-oss-`.
  private func controlPrefixes(of signed: SignedSample) -> [String] {
    let given = Set(signed.sample.request.headerFields.map(\.name))
    let added = signed.request.headerFields.map(\.name).filter { !given.contains($0) }.compactMap { name in
      let parts = name.canonicalName.parts(between: "-")
      return parts.count > 2 && parts[0] == "x" ? "x-\(parts[1])-" : nil
    }
    return Set(verifier.controlPrefixes + added).sorted()
  }
}

extension RequestTarget {
  /// The target with the names of parameters in lowercase, if the scheme signs them in lowercase.
  fileprivate var namesByCase: RequestTarget {
    guard ignoresCase else { return self }
    let parameters = parameters.map { Parameter(name: $0.name.asciiLowercased.string, value: $0.value?.string) }
    return RequestTarget(bucket: bucket?.string, key: key?.string, parameters: parameters)
  }
}

extension HTTPRequest {
  /// Returns the request with an item at the end of its query.
  fileprivate func appending(item: String) -> HTTPRequest {
    var copy = self
    copy.path = (path ?? "/") + ((path ?? "").utf8.contains(UInt8(ascii: "?")) ? "&" : "?") + item
    return copy
  }

  /// Returns copies of the request with another value of a header and without it, or with it if it is absent.
  ///
  /// - Parameter header: The lowercase name of a header, or `host` for the authority.
  fileprivate func changes(ofHeader header: String) -> [(String, HTTPRequest)] {
    if header.isIdentical(to: "host") {
      var copy = self
      copy.authority = "x\(authority ?? "")"
      return [("at another host", copy)]
    }
    guard let name = HTTPField.Name(header) else { return [] }
    let fields = Array(headerFields)
    let places = fields.indices.filter { fields[$0].name == name }
    func changed(_ what: String, _ change: (inout [HTTPField]) -> Void) -> (String, HTTPRequest) {
      var (copy, list) = (self, fields)
      change(&list)
      copy.headerFields = HTTPFields(list)
      return (what, copy)
    }
    let values = places.flatMap { place in
      let flips = fields[place].value.flips()
      let chosen = [flips.first, flips.last, fields[place].value + "x"].compactMap { $0 }
      return chosen.map { value in changed("with another value of it") { $0[place].value = value } }
    }
    let removals = places.map { place in changed("without it") { $0.remove(at: place) } }
    guard places.isEmpty else { return values + removals }
    return [changed("with it added") { $0.append(HTTPField(name: name, value: "added")) }]
  }

  /// Returns copies of the request, each with one item of the query changed or removed.
  fileprivate var changesOfItems: [(String, HTTPRequest)] {
    let path = path ?? "/"
    let items = path.bytes(from: "?").dropFirst().parts(between: "&")
    return items.indices.flatMap { place in
      [
        ("with more in", String(items[place]) + "x"), ("without", nil),
        ("with uppercase in", items[place].uppercased()),
      ]
      .map { what, item in
        var changed = items.map(String.init)
        if let item { changed[place] = item } else { changed.remove(at: place) }
        var copy = self
        copy.path = path.bytes(before: "?") + (changed.isEmpty ? "" : "?") + changed.joined(separator: "&")
        return ("\(what) an item of the query", copy)
      }
    }
  }

  /// Returns copies of the request, each with another word for one part of the scope that follows the ID of the key.
  ///
  /// The scope is in the `Authorization` header or, percent-encoded, in the query: `ID/date/region/service/end`.
  fileprivate func changesOfScope(behind id: AccessKeyID) -> [(String, HTTPRequest)] {
    func changes(
      in text: String, behind start: String, between separator: String, _ change: (inout HTTPRequest, String) -> Void
    ) -> [(String, HTTPRequest)] {
      guard let found = text.firstRange(of: start + separator) else { return [] }
      let rest = text[found.upperBound...]
      let scope = rest.prefix { !",&;: ".contains($0) }
      let parts = String(scope).split(separator: separator, omittingEmptySubsequences: false).map(String.init)
      guard parts.count >= 3 else { return [] }
      return parts.indices.map { place in
        var words = parts
        // Another letter or digit at the end, so that the word stays well-formed.
        words[place] = parts[place].flips().last ?? "x"
        var copy = self
        change(&copy, text[..<found.upperBound] + words.joined(separator: separator) + rest[scope.endIndex...])
        return (words[place], copy)
      }
    }
    let header = changes(in: headerFields[.authorization] ?? "", behind: id.string, between: "/") {
      $0.headerFields[.authorization] = $1
    }
    return header + changes(in: path ?? "", behind: id.string, between: "%2F") { $0.path = $1 }
  }
}
