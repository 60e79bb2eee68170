// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

package import NIOSSL
import StorageClient
import Subprocess
import XCTest

/// A certificate for `storage.test` and this machine that signs itself, made with openssl.
package struct TestAuthority {
  /// The path of the certificate in PEM form.
  package let file: String
  /// The server's side of TLS with this certificate.
  package let tls: NIOSSLContext

  package init(in directory: TemporaryDirectory, named name: String = "authority") async throws {
    file = directory.path("\(name).pem").string
    let key = directory.path("\(name).key").string
    let made = try await Subprocess.run(
      .name("openssl"),
      arguments: [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", key, "-out", file,
        "-days", "2", "-subj", "/CN=storage.test", "-addext",
        "subjectAltName=DNS:storage.test,DNS:*.storage.test,DNS:localhost,IP:127.0.0.1",
      ], output: .discarded, error: .string(limit: 1 << 16))
    guard case .exited(0) = made.terminationStatus else {
      XCTFail("openssl made no certificate: \(made.standardError)")
      throw XCTSkip("There is no certificate.")
    }
    tls = try NIOSSLContext(
      configuration: .makeServerConfiguration(
        certificateChain: NIOSSLCertificate.fromPEMFile(file).map { .certificate($0) },
        privateKey: .privateKey(NIOSSLPrivateKey(file: key, format: .pem))))
  }
}
