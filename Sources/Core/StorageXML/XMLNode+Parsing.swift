// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The limits for an XML document to parse; the services' own documents are far smaller.
package struct XMLLimits: Sendable, Hashable {
  /// The maximum size of the document in bytes.
  package var byteCount = 16 << 20

  /// The maximum depth of nested elements.
  package var depth = 64

  /// The maximum number of attributes of an element.
  package var attributeCount = 64

  /// The maximum number of elements in the document.
  ///
  /// A list of 10,000 parts contains 30,000 elements, or 60,000 with checksums.
  package var elementCount = 100_000

  /// Whether the document may contain the control characters U+0001 to U+001F, as literal characters or as references.
  ///
  /// XML 1.0 forbids both. OSS and COS accept them in the keys of a multiple-object deletion. The vendors' Python SDKs
  /// send literal characters, and the Go SDK sends references.
  package var allowsControlCharacters = false

  /// Creates the default limits for an XML document.
  package init() {}

  /// The default limits for a document from a service that accepts control characters.
  package static let allowingControlCharacters: XMLLimits = {
    var limits = XMLLimits()
    limits.allowsControlCharacters = true
    return limits
  }()
}

extension XMLNode {
  /// Parses an XML document in UTF-8, in time and memory linear in its length.
  ///
  /// The parser skips attributes, comments and processing instructions, and drops text next to elements.
  ///
  /// - Parameters:
  ///   - bytes: The XML document in UTF-8.
  ///   - limits: The limits for the document.
  /// - Returns: The root element of the document.
  /// - Throws: An ``XMLError`` if the document is not well-formed, is not in UTF-8, declares another encoding or a
  ///   document type, or exceeds a limit.
  package static func parse(_ bytes: [UInt8], limits: XMLLimits = XMLLimits()) throws(XMLError) -> XMLNode {
    var reader = XMLReader(bytes, limits)
    return try reader.document()
  }
}
