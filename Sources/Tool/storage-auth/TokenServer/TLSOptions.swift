// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser

/// The command-line options for HTTPS.
struct TLSOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The PEM file with the certificate for HTTPS, followed by those that issued it. Without it the server speaks HTTP. \
      SIGHUP reads the file again.
      """, valueName: "file"))
  var tlsCert: String?

  @Option(
    help: ArgumentHelp(
      "The PEM file with the private key of --tls-cert, without a passphrase.", valueName: "file"))
  var tlsKey: String?

  @Flag(inversion: .prefixedNo, help: "Whether clients may choose HTTP/2, with --tls-cert.")
  var http2 = true

  func validate() throws {
    switch (tlsCert, tlsKey) {
    case (nil, nil):
      if !http2 { throw ValidationError("--no-http2 has an effect only with --tls-cert: omit it.") }
    case ("-", _), (_, "-"):
      throw ValidationError("--tls-cert and --tls-key must name files, so that SIGHUP can read them again.")
    case (_?, nil): throw ValidationError("Name the private key of the certificate with --tls-key.")
    case (nil, _?): throw ValidationError("Name the certificate of the private key with --tls-cert.")
    case (_?, _?): break
    }
  }

  /// Reads the certificate, or returns `nil` if the server speaks HTTP.
  ///
  /// - Throws: An error that names the file that cannot be used.
  func certificate() throws -> CertificateFiles? {
    guard let tlsCert, let tlsKey else { return nil }
    return try CertificateFiles(certificate: tlsCert, key: tlsKey)
  }
}
