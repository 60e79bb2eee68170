// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import StorageAuthServer

/// The options for HTTPS, whose files are read again after SIGHUP.
struct TLSOptions: ParsableArguments {
  @Option(
    help: .text(
      "The PEM file with the certificate for HTTPS, followed by those that issued it. Without it the server speaks "
        + "HTTP. After SIGHUP, the server reads the file again.", value: "file"))
  var tlsCert: String?

  @Option(help: .text("The PEM file with the private key of --tls-cert, without a passphrase.", value: "file"))
  var tlsKey: String?

  @Flag(inversion: .prefixedNo, help: "Whether clients may choose HTTP/2, with --tls-cert.") var http2 = true

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

  func readCertificate() throws -> CertificateFiles? {
    guard let tlsCert, let tlsKey else { return nil }
    return try CertificateFiles(certificatePath: tlsCert, keyPath: tlsKey, renewal: "send SIGHUP to this process")
  }
}

struct CertificateFiles: Sendable {
  let certificate: ServerCertificate
  private let certificatePath: String
  private let keyPath: String
  /// The step after which the server uses a renewed certificate, for warnings.
  private let renewal: String

  /// Reads a certificate, and prints a warning if it is not valid now.
  init(certificatePath: String, keyPath: String, renewal: String) throws {
    self.certificatePath = certificatePath
    self.keyPath = keyPath
    self.renewal = renewal
    certificate = try Self.read(certificatePath, keyPath) { try ServerCertificate(chain: $0, key: $1) }
    warnUnlessValid()
  }

  /// Reads the files again; after an error, the previous certificate remains.
  func reload() throws {
    try Self.read(certificatePath, keyPath) { try certificate.replace(chain: $0, key: $1) }
    warnUnlessValid()
  }

  private static func read<Result>(
    _ certificatePath: String, _ keyPath: String, _ use: (_ chain: String, _ key: Secret) throws -> Result
  ) throws -> Result {
    let chain = try SecretFile(certificatePath, containing: .certificates).text
    let key = Secret(try SecretFile(keyPath, containing: .privateKey).text)
    do {
      return try use(chain, key)
    } catch let error as CertificateError {
      let files =
        switch error.subject {
        case .chain: certificatePath
        case .key: keyPath
        case .pair: "\(keyPath) with \(certificatePath)"
        }
      throw CommandFailure(description: "\(files) cannot be used. \(error)")
    }
  }

  private func warnUnlessValid() {
    let (validity, now) = (certificate.validity, Timestamp.now)
    if validity.upperBound == validity.lowerBound {
      Terminal.printWarning(
        "the certificates in \(certificatePath) are never valid at the same time, so clients may reject them. "
          + "Replace them, and \(renewal).")
    } else if validity.upperBound < now {
      Terminal.printWarning(
        "a certificate in \(certificatePath) expired at \(validity.upperBound.iso8601), so clients may reject it. "
          + "Renew it, and \(renewal).")
    } else if validity.lowerBound > now {
      Terminal.printWarning(
        "a certificate in \(certificatePath) is not valid until \(validity.lowerBound.iso8601), so clients will "
          + "reject it. Check the clock of this machine.")
    }
  }
}
