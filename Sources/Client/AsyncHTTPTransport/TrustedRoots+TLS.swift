// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import NIOSSL
internal import StorageAuth
internal import SystemPackage

extension TrustedRoots {
  /// Returns the TLS settings with these authorities, or `nil` for the defaults of AsyncHTTPClient.
  ///
  /// - Throws: A `TransportError` with the code `invalidConfiguration` that names the file and what is wrong with it.
  func tlsConfiguration() throws(TransportError) -> TLSConfiguration? {
    guard let path else { return nil }
    let certificates = try Self.certificates(path)
    var tls = TLSConfiguration.makeClientConfiguration()
    if includesSystem {
      tls.additionalTrustRoots = [.certificates(certificates)]
    } else {
      tls.trustRoots = .certificates(certificates)
    }
    return tls
  }

  private static func certificates(_ path: String) throws(TransportError) -> [NIOSSLCertificate] {
    // Opened first, because the reader of certificates does not tell a missing file from an invalid one.
    do {
      try FileDescriptor.open(FilePath(path), .readOnly).close()
    } catch {
      throw unusable(path, "cannot be read: \((error as? Errno)?.description ?? "\(error)")")
    }
    guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
      throw unusable(path, "contains no certificate in PEM form, or an invalid one")
    }
    return certificates
  }

  private static func unusable(_ path: String, _ reason: String) -> TransportError {
    TransportError(
      .invalidConfiguration, "The file of certificate authorities \(path) \(reason).",
      remedy: "Name a PEM file with the certificates of the authorities that issued those of the services.")
  }
}
