// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

package import StorageCrypto

/// Query parameters that a URL must not contain before it is signed, because the services accept only one signature.
package struct RefusedParameters {
  private let names: NameTable
  private let end: Int

  /// Creates a list of percent-encoded names; the signer adds its own parameters after the index.
  package init(_ names: NameTable, before end: Int = .max) {
    self.names = names
    self.end = end
  }

  /// Throws an error if the parsed query parameters show that the URL already contains a signature.
  package func check(_ parameters: borrowing ScratchList<WireParameter>, of wire: Span<UInt8>) throws(SigningError) {
    for index in 0..<parameters.count where parameters[index].name.lowerBound < end {
      guard !names.contains(wire.extracting(parameters[index].name)) else {
        throw SigningError(
          .invalidPath, "The URL already carries a signature, or parameters of one.",
          remedy: "Sign the URL without those parameters; they are added.")
      }
    }
  }

  package func check(_ path: String) throws(SigningError) {
    try withBytes(of: path) { (wire) throws(SigningError) in
      try ScratchList<WireParameter>.with { (parameters) throws(SigningError) in
        guard WireQuery.cut(wire, into: &parameters) != nil else { throw SigningError.unreadablePath }
        try check(parameters, of: wire)
      }
    }
  }
}
