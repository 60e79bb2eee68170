// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// An XML document in the response to a successful request, with the root element of the operation.
///
/// Every reader of a service's document starts here, so that no page of a proxy, no error inside a success and no
/// result of another operation is read as an empty result. Namespaces and their prefixes are ignored.
package struct ServiceDocument: Sendable {
  private let root: XMLNode
  private let conventions: HeaderConventions

  /// Parses the body of a response, or throws an error if its root element has another name.
  init(_ body: [UInt8], named name: String, _ conventions: HeaderConventions) throws(StorageError) {
    root = try Self.root(of: body)
    self.conventions = conventions
    guard root.name.isIdentical(to: name) else {
      throw StorageError.malformedResponse("its root element is \(root.name.quotedExcerpt) and not \(name)")
    }
  }

  /// Parses the body of a response without checking the name of its root element.
  ///
  /// S3 and compatible services send white space before the document of a long operation, to keep the connection open.
  static func root(of body: [UInt8]) throws(StorageError) -> XMLNode {
    let start = body.firstIndex { $0 > UInt8(ascii: " ") } ?? body.endIndex
    do {
      var root = try XMLNode.parse(start == 0 ? body : Array(body[start...]))
      root.removeNamespacePrefixes()
      return root
    } catch { throw StorageError.malformedResponse(error.message) }
  }

  var children: [XMLNode] { root.children }
  func all(_ name: String) -> [XMLNode] { root.all(name) }

  /// Returns the text of a child element that occurs at most once, or `nil` if it is missing or empty.
  func text(_ name: String) throws(StorageError) -> String? { try root.text(ofOnly: name) }

  /// Requires that an element repeats a value of the request, percent-encoded or not, because services differ in this.
  ///
  /// A missing element counts as an empty one.
  func require(_ name: String, equals requested: String) throws(StorageError) {
    let reported = try text(name) ?? ""
    if reported.isIdentical(to: requested) { return }
    let decoded = reported.percentDecoded(plusIsSpace: conventions.encodesSpaceAsPlus)
    if let decoded, decoded.isIdentical(to: requested) { return }
    throw StorageError.contradiction(
      "its \(name) is \(reported.quotedExcerpt), but the request is about \(requested.quotedExcerpt)")
  }

  /// Requires that an element contains the name of the bucket.
  ///
  /// For the alias of an access point, a service reports the bucket behind it, whose name the client does not know.
  func requireBucket(_ name: String, equals bucket: String) throws(StorageError) {
    if let reported = try text(name) {
      let isAlias = conventions.aliasSuffixes.contains { bucket.hasByteSuffix($0) }
      if isAlias || isShortName(reported, of: bucket) { return }
    }
    try require(name, equals: bucket)
  }

  /// Returns whether a name is that of the bucket without the account number at its end, as in some responses of COS.
  private func isShortName(_ name: String, of bucket: String) -> Bool {
    guard conventions.omitsAccountNumber, let number = bucket.removingBytePrefix("\(name)-") else { return false }
    return !number.isEmpty && number.utf8.allSatisfy(\.isASCIIDigit)
  }

  func isTruncated() throws(StorageError) -> Bool {
    let text = try text("IsTruncated") ?? ""
    if text.isIdentical(to: "true") { return true }
    guard text.isIdentical(to: "false") else {
      throw StorageError.malformedResponse("its IsTruncated is \(text.quotedExcerpt), and not true or false")
    }
    return false
  }

  /// Returns whether names in the document are percent-encoded; COS spells the element in several ways.
  func encodesNames() throws(StorageError) -> Bool {
    var isEncoded = false
    for name in ["EncodingType", "Encoding-Type", "Encoding-type"] {
      guard let type = try text(name) else { continue }
      guard type.isIdentical(to: "url") else {
        throw StorageError.contradiction("its \(name) is \(type.quotedExcerpt), but the request asks for url")
      }
      isEncoded = true
    }
    return isEncoded
  }

  /// Returns the decoded text of an element with a name; the request asks the service to percent-encode names.
  ///
  /// Some S3-compatible servers (versitygw, early versions of moto and SeaweedFS) ignore the request and do not report
  /// an encoding. Their names are accepted if decoding does not change them.
  func decodedName(_ text: String?, isEncoded: Bool) throws(StorageError) -> String {
    guard let text, let name = text.percentDecoded(plusIsSpace: conventions.encodesSpaceAsPlus) else {
      throw StorageError.malformedResponse("a listed name is missing or is not percent-encoded UTF-8")
    }
    guard isEncoded || name.isIdentical(to: text) else {
      throw StorageError.malformedResponse("it does not say whether the name \(text.quotedExcerpt) is percent-encoded")
    }
    return try ResponseValue(name, named: "listed name").text
  }
}

extension XMLNode {
  /// Returns the text of a child element that occurs at most once, or `nil` if it is missing or empty.
  func text(ofOnly name: String) throws(StorageError) -> String? {
    guard let text = try only(name)?.text, !text.isEmpty else { return nil }
    return text
  }

  /// Returns a child element that occurs at most once, or `nil` if it is missing.
  func only(_ name: String) throws(StorageError) -> XMLNode? {
    var found: XMLNode?
    for child in children where child.name.isIdentical(to: name) {
      guard found == nil else { throw StorageError.malformedResponse("it has the element \(name) twice") }
      found = child
    }
    return found
  }
}

extension String {
  /// The beginning of a string from a response in quotation marks, for error messages.
  var quotedExcerpt: String { "\"\(shortened(to: 100))\"" }
}

extension StorageError {
  /// An error for a response that is well-formed but cannot be right.
  static func contradiction(_ fault: String) -> StorageError {
    StorageError(
      .malformedResponse, "The service's response contradicts the request or itself: \(fault).",
      remedy: "Check that the endpoint is the service itself; if it is, report the fault to its operator.")
  }
}

/// A string from a response that becomes part of a later request.
///
/// Examples are an upload ID, an entity tag and an object key. The length is limited when the string is read, because a
/// request line of more than 64 KB terminates the process inside AsyncHTTPClient 1.37.
struct ResponseValue: Sendable, Hashable {
  /// The maximum length of the string in bytes: four times the length of the longest object key.
  static let limit = 4_096

  let text: String

  init(_ text: String, named name: String) throws(StorageError) {
    guard Self.isSendable(text) else {
      throw StorageError.malformedResponse("its \(name) has \(text.utf8.count) bytes; the limit is \(Self.limit) bytes")
    }
    self.text = text
  }

  /// Returns whether a string is short enough to be sent, or `true` for `nil`.
  static func isSendable(_ text: String?) -> Bool { (text?.utf8.count ?? 0) <= limit }
}
