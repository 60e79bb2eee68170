// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// The limits for a document; the services' own documents are far smaller.
package struct XMLLimits: Sendable, Hashable {
  /// The greatest length of the document, in bytes.
  package var byteCount = 16 << 20

  /// The greatest depth of nested elements.
  package var depth = 64

  /// The greatest number of attributes of an element.
  package var attributeCount = 64

  /// The greatest number of elements: a list of 10,000 parts has 30,000, and with checksums twice as many.
  package var elementCount = 100_000

  /// Whether the document may contain the control characters U+0001 to U+001F, as literal characters or as references.
  ///
  /// XML 1.0 forbids both. OSS and COS accept them in the keys of a multiple-object deletion: the vendors' SDKs for
  /// Python send literal characters, the one for Go sends references.
  package var allowsControlCharacters = false

  /// Creates the default limits.
  package init() {}

  /// The default limits for a service that accepts control characters.
  package static let allowingControlCharacters: XMLLimits = {
    var limits = XMLLimits()
    limits.allowsControlCharacters = true
    return limits
  }()
}

extension XMLNode {
  /// Parses a document in UTF-8, in time and memory linear in its length.
  ///
  /// Attributes, comments and processing instructions are skipped. Text next to elements is dropped.
  ///
  /// - Parameters:
  ///   - bytes: The document.
  ///   - limits: The limits for the document.
  /// - Returns: The root element.
  /// - Throws: An ``XMLError`` if the document is not well-formed, is not in UTF-8, declares another encoding or a
  ///   document type, or exceeds a limit.
  package static func parse(_ bytes: [UInt8], limits: XMLLimits = XMLLimits()) throws(XMLError) -> XMLNode {
    var reader = XMLReader(bytes, limits)
    return try reader.document()
  }
}
